#include "placer/scan/page_mover.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <ctime>
#include <numeric>

#include <unistd.h>

namespace pinwise {

namespace {

/// The kernel writes a node or a negative errno.
constexpr int not_written = INT_MIN;
/// Calls for one batch; each stops at the first page it cannot move and leaves the rest.
constexpr int most_rounds = 3;

std::uint64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void* as_pointer(std::uintptr_t address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the kernel's view of memory
}

TargetState state_after(int error) {
    switch (error) {
        case ENODEV:
            return TargetState::absent;
        case EACCES:
            return TargetState::disallowed;
        case ENOMEM:
            return TargetState::full;
        default:
            return TargetState::usable;
    }
}

}  // namespace

std::string_view to_string(MoverState state) {
    switch (state) {
        case MoverState::working:
            return "working";
        case MoverState::denied:
            return "denied(EPERM)";
        case MoverState::unsupported:
            return "unsupported(ENOSYS)";
        case MoverState::one_node:
            return "one-node";
        case MoverState::no_node:
            return "no-usable-node";
    }
    return "unknown";
}

std::uint64_t MoveLedger::failed_pages() const {
    return std::accumulate(failed.begin(), failed.end(), std::uint64_t{0});
}

double MoveLedger::ns_per_page() const {
    return moved == 0 ? 0 : static_cast<double>(move_ns + query_ns) / static_cast<double>(moved);
}

PageMover::PageMover(PageCalls& calls, std::span<const int> nodes_with_memory, std::size_t folio_bytes,
                     std::size_t pages_per_call)
    : calls_(&calls),
      page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      folio_bytes_(std::max(folio_bytes, page_bytes_)),
      pages_per_call_(std::max<std::size_t>(pages_per_call, 1)),
      addresses_(pages_per_call_),
      nodes_(pages_per_call_),
      status_(pages_per_call_),
      reasons_(pages_per_call_) {
    batch_.reserve(pages_per_call_);
    node_states_.fill(TargetState::absent);
    for (const int node : nodes_with_memory)
        if (node >= 0 && static_cast<std::size_t>(node) < max_scan_nodes)
            node_states_[static_cast<std::size_t>(node)] = TargetState::usable;
    if (nodes_with_memory.size() < 2) state_ = MoverState::one_node;
}

TargetState PageMover::node_state(int node) const {
    const bool known = node >= 0 && static_cast<std::size_t>(node) < max_scan_nodes;
    return known ? node_states_[static_cast<std::size_t>(node)] : TargetState::absent;
}

void PageMover::retry_full_nodes() {
    std::ranges::replace(node_states_, TargetState::full, TargetState::usable);
}

bool PageMover::may_move_to(int node) const {
    return state_ == MoverState::working && node_state(node) == TargetState::usable;
}

void PageMover::move(std::span<const MoveRequest> requests, int node, std::span<MoveOutcome> outcomes) {
    if (!may_move_to(node)) return;
    batch_.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
        for (std::uintptr_t offset = 0; offset < requests[i].bytes; offset += page_bytes_) {
            batch_.push_back({requests[i].start + offset, static_cast<std::uint32_t>(i)});
            if (batch_.size() == pages_per_call_) move_batch(node, outcomes);
        }
    }
    move_batch(node, outcomes);
}

/// Empties the batch: every page of it ends in one place of the ledger.
void PageMover::move_batch(int node, std::span<MoveOutcome> outcomes) {
    ledger_.examined += batch_.size();
    if (!batch_.empty() && may_move_to(node) && ask()) {
        keep_those_elsewhere(node, outcomes);
        if (folio_bytes_ > page_bytes_) move_folio_heads(node, outcomes);
        for (int round = 0; round < most_rounds && !batch_.empty() && may_move_to(node); ++round)
            if (!move_whole_batch(node, outcomes)) break;
    }
    ledger_.not_processed += batch_.size();
    for (const Page& page : batch_)
        if (!outcomes.empty()) ++outcomes[page.request].failed;
    batch_.clear();
}

/// Fills the statuses with where the batch's pages are now. False: the kernel does not say.
bool PageMover::ask() {
    std::ranges::transform(batch_, addresses_.begin(), [](const Page& page) { return as_pointer(page.address); });
    std::fill_n(status_.begin(), batch_.size(), not_written);
    const std::uint64_t start = now_ns();
    const long result = calls_->move_pages(batch_.size(), addresses_.data(), nullptr, status_.data());
    ledger_.query_ns += now_ns() - start;
    ++ledger_.calls;
    if (result < 0) note_call_error(static_cast<int>(-result), -1);
    return result >= 0;
}

/// First look: what is there already, or is no page at all, needs no call.
void PageMover::keep_those_elsewhere(int node, std::span<MoveOutcome> outcomes) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        if (status_[i] == node) {
            ++ledger_.local_already;
        } else if (status_[i] >= 0 || status_[i] == not_written) {
            batch_[kept++] = batch_[i];
        } else {
            count_failed(batch_[i], -status_[i], outcomes);
        }
    }
    batch_.resize(kept);
}

/// Names one page of each large folio that there may be; the others follow it if it is one.
void PageMover::move_folio_heads(int node, std::span<MoveOutcome> outcomes) {
    if (batch_.empty()) return;
    std::size_t heads = 0;
    std::uintptr_t last_folio = UINTPTR_MAX;
    for (const Page& page : batch_) {
        const std::uintptr_t folio = page.address / folio_bytes_;
        if (folio != last_folio) addresses_[heads++] = as_pointer(page.address);
        last_folio = folio;
    }
    if (heads == batch_.size()) return;
    if (call_move(heads, node) != 0 && !may_move_to(node)) return;
    if (!ask()) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        if (status_[i] == node) {
            count_moved(batch_[i], outcomes);
        } else {
            batch_[kept++] = batch_[i];
        }
    }
    batch_.resize(kept);
}

/// Names every page of the batch, and keeps those of which the call told nothing. False: no page got anywhere.
bool PageMover::move_whole_batch(int node, std::span<MoveOutcome> outcomes) {
    const std::size_t count = batch_.size();
    std::ranges::transform(batch_, addresses_.begin(), [](const Page& page) { return as_pointer(page.address); });
    const int error = call_move(count, node);
    std::copy_n(status_.begin(), count, reasons_.begin());
    const bool unclear = std::any_of(status_.begin(), status_.begin() + static_cast<std::ptrdiff_t>(count),
                                     [](int status) { return status == not_written || status == -EBUSY; });
    if (unclear && !ask()) return false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (status_[i] == node) {
            count_moved(batch_[i], outcomes);
        } else if (reasons_[i] < 0 && reasons_[i] != not_written) {
            count_failed(batch_[i], -reasons_[i], outcomes);
        } else if (error != 0) {
            count_failed(batch_[i], error, outcomes);
        } else {
            batch_[kept++] = batch_[i];
        }
    }
    batch_.resize(kept);
    return kept < count;
}

/// Moves the first `count` of the addresses; 0 or the call's errno.
int PageMover::call_move(std::size_t count, int node) {
    std::fill_n(nodes_.begin(), count, node);
    std::fill_n(status_.begin(), count, not_written);
    const std::uint64_t start = now_ns();
    const long result = calls_->move_pages(count, addresses_.data(), nodes_.data(), status_.data());
    ledger_.move_ns += now_ns() - start;
    ++ledger_.calls;
    if (result >= 0) return 0;
    note_call_error(static_cast<int>(-result), node);
    return static_cast<int>(-result);
}

void PageMover::note_call_error(int error, int node) {
    if (error == EPERM) state_ = MoverState::denied;
    if (error == ENOSYS) state_ = MoverState::unsupported;
    if (node < 0) return;
    TargetState& of_node = node_states_[static_cast<std::size_t>(node)];
    of_node = state_after(error);
    const auto usable_some_day = [](TargetState state) {
        return state == TargetState::usable || state == TargetState::full;
    };
    if (state_ == MoverState::working && std::ranges::count_if(node_states_, usable_some_day) < 2)
        state_ = MoverState::no_node;
}

void PageMover::count_moved(const Page& page, std::span<MoveOutcome> outcomes) {
    ++ledger_.moved;
    ledger_.bytes_moved += page_bytes_;
    if (!outcomes.empty()) ++outcomes[page.request].moved;
}

void PageMover::count_failed(const Page& page, int error, std::span<MoveOutcome> outcomes) {
    ++ledger_.failed[std::min(static_cast<std::size_t>(error), max_counted_errno - 1)];
    const bool nothing_to_move = error == ENOENT || error == EFAULT;  // not present; the zero page
    if (!outcomes.empty() && !nothing_to_move) ++outcomes[page.request].failed;
}

}  // namespace pinwise
