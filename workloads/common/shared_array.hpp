#pragma once
/// Memory that a workload shares with the processes it forks: what they wrote is there after they are gone.

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "workloads/common/expected.hpp"

namespace pinwise::workloads {

/// `count` objects in anonymous memory that stays one memory over fork(). No destructor runs.
template <class T>
class SharedArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    static Expected<SharedArray> make(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return failed_run("no memory to share with " + std::to_string(count) + " processes (" +
                              std::to_string(bytes) + " bytes): " + std::strerror(errno));
        auto* const elements = static_cast<T*>(memory);
        std::uninitialized_value_construct_n(elements, count);
        return SharedArray(elements, count);
    }

    SharedArray(SharedArray&& other) noexcept
        : elements_(std::exchange(other.elements_, nullptr)), count_(std::exchange(other.count_, 0)) {}
    SharedArray& operator=(SharedArray&& other) noexcept {
        std::swap(elements_, other.elements_);
        std::swap(count_, other.count_);
        return *this;
    }
    SharedArray(const SharedArray&) = delete;
    SharedArray& operator=(const SharedArray&) = delete;
    ~SharedArray() {
        if (elements_ != nullptr) munmap(elements_, count_ * sizeof(T));
    }

    [[nodiscard]] T& operator[](std::size_t index) const { return elements_[index]; }
    [[nodiscard]] std::size_t size() const { return count_; }

private:
    SharedArray(T* elements, std::size_t count) : elements_(elements), count_(count) {}

    T* elements_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace pinwise::workloads
