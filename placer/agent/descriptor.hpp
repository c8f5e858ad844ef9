#pragma once
/// A file descriptor that is closed by its owner's end.

#include <utility>

#include <unistd.h>

namespace pinwise {

class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }

    /// -1: none.
    [[nodiscard]] int get() const { return number_; }
    /// Whoever takes it closes it.
    int release() { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

}  // namespace pinwise
