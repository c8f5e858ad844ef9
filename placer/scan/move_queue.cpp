#include "placer/scan/move_queue.hpp"

namespace pinwise {

void MoveQueue::use(std::span<Cell> cells) noexcept {
    cells_ = cells;
    reset();
}

void MoveQueue::reset() noexcept {
    for (std::size_t i = 0; i < cells_.size(); ++i)
        cells_[i].sequence.store(i, std::memory_order_relaxed);
    next_push_.store(0, std::memory_order_relaxed);
    next_pop_ = 0;
}

bool MoveQueue::push(const MoveRequest& request) noexcept {
    if (cells_.empty()) return false;
    std::uint64_t position = next_push_.load(std::memory_order_relaxed);
    for (;;) {
        Cell& cell = cells_[position & (cells_.size() - 1)];
        const std::uint64_t sequence = cell.sequence.load(std::memory_order_acquire);
        if (sequence < position) return false;  // still holds the request of one round ago
        if (sequence > position) {
            position = next_push_.load(std::memory_order_relaxed);
        } else if (next_push_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
            cell.request = request;
            cell.sequence.store(position + 1, std::memory_order_release);
            return true;
        }
    }
}

std::optional<MoveRequest> MoveQueue::pop() noexcept {
    if (cells_.empty()) return std::nullopt;
    Cell& cell = cells_[next_pop_ & (cells_.size() - 1)];
    if (cell.sequence.load(std::memory_order_acquire) != next_pop_ + 1) return std::nullopt;
    const MoveRequest request = cell.request;
    cell.sequence.store(next_pop_ + cells_.size(), std::memory_order_release);
    ++next_pop_;
    return request;
}

}  // namespace pinwise
