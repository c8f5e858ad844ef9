#pragma once
/// What the functions that the scanning agent takes over tell of the program's memory. Where nothing is scanned they do
/// nothing. All of it is safe in a signal handler and keeps errno.

#include <cstddef>
#include <cstdint>
#include <span>

#include <sys/uio.h>

#include "placer/scan/address_range.hpp"

namespace pinwise {

AddressRange range_at(const void* start, std::size_t bytes);

/// Private anonymous memory that may be armed where it is large; anything else at that place is forgotten.
void mapping_came(const void* start, std::size_t bytes, int protection);
/// Unmapped, mapped over, locked, handed to the kernel for good, or a stack: never armed from now on.
void memory_goes(const void* start, std::size_t bytes);

/// All of the mapping or block around it.
void stack_lies_at(const void* address);

/// Blocks of the heap, known by where they start: nobody says how large they are when they are freed.
void block_came(const void* start, std::size_t bytes);
/// Before it is freed. Returns its size where it was known, else 0.
std::size_t block_goes(const void* start);

/// Some of it may be armed, now or in a moment.
bool is_scanned(const void* start, std::size_t bytes);

/// Memory that the kernel is about to read or write on behalf of the program: open as long as this lives.
class HeldMemory {
public:
    HeldMemory(const void* start, std::size_t bytes);
    explicit HeldMemory(AddressRange range);
    ~HeldMemory();
    HeldMemory(const HeldMemory&) = delete;
    HeldMemory& operator=(const HeldMemory&) = delete;
    HeldMemory(HeldMemory&&) = delete;
    HeldMemory& operator=(HeldMemory&&) = delete;

private:
    AddressRange range_;
    bool held_ = false;
};

/// The same for the buffers of readv() and the like.
class HeldVectors {
public:
    HeldVectors(const iovec* vectors, std::size_t count);
    ~HeldVectors();
    HeldVectors(const HeldVectors&) = delete;
    HeldVectors& operator=(const HeldVectors&) = delete;
    HeldVectors(HeldVectors&&) = delete;
    HeldVectors& operator=(HeldVectors&&) = delete;

private:
    HeldMemory list_;
    std::span<const iovec> vectors_;
};
bool any_is_scanned(const iovec* vectors, std::size_t count);

/// As far as memory that may be armed reaches from here: for calls that do not say how much they use.
AddressRange scanned_from(const void* start);

/// Nothing is armed as long as this lives.
class ScanPause {
public:
    ScanPause();
    ~ScanPause();
    ScanPause(const ScanPause&) = delete;
    ScanPause& operator=(const ScanPause&) = delete;
    ScanPause(ScanPause&&) = delete;
    ScanPause& operator=(ScanPause&&) = delete;

private:
    bool paused_ = false;
};

}  // namespace pinwise
