#pragma once
/// Page-migration scanning inside a program: each thread scans on its own CPU time, and memory follows its threads.
///
/// Every thread has a timer on its own CPU clock that sends SIGSEGV to it: the one signal that is ours already, so that
/// the program sees no other, and no thread of ours. Such a timer goes off on the way back to the program's code, so it
/// interrupts no system call (Linux 5.9 or later).

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "placer/agent/thread_follower.hpp"
#include "placer/scan/armed_table.hpp"
#include "placer/scan/fault_handler.hpp"
#include "placer/scan/granule_mover.hpp"
#include "placer/scan/hint_fault_filter.hpp"
#include "placer/scan/scan_clock.hpp"
#include "placer/scan/shared_scan.hpp"

namespace pinwise {

class ScanAgent final : public ThreadFollower, public FaultListener {
public:
    /// The one of this process; null: nothing is scanned.
    static ScanAgent* current() noexcept;

    /// Null where nothing can be scanned; why is in the session's memory then.
    static std::unique_ptr<ScanAgent> start(const SessionMemory& memory);
    ScanAgent(const ScanAgent&) = delete;
    ScanAgent& operator=(const ScanAgent&) = delete;
    ScanAgent(ScanAgent&&) = delete;
    ScanAgent& operator=(ScanAgent&&) = delete;
    ~ScanAgent() override;

    [[nodiscard]] ArmedTable& table() noexcept { return table_; }
    [[nodiscard]] FaultHandler& handler() noexcept { return handler_; }
    /// For good, with the reason in the record; everything is open afterwards.
    void stop(ScanState reason) noexcept;

    Heritage thread_to_come() noexcept override;
    void thread_started(SharedRecord& record, const Heritage* heritage) noexcept override;
    void thread_ended() noexcept override;
    void before_fork() noexcept override;
    void after_fork_in_parent() noexcept override;
    void after_fork_in_child() noexcept override;

    void hint_fault(const void* address, const Opening& opening) noexcept override;
    void timer_expired() noexcept override;
    void stop_timer() noexcept override;
    void passed_on() noexcept override;
    void must_stop() noexcept override;

private:
    ScanAgent(SharedScan& shared, const Machine& machine, std::span<HintFaultFilter::Slot> filter_table);
    static void give_reason(SharedScan& shared, ScanState reason) noexcept;
    [[nodiscard]] static ScanState can_scan(const SharedScan& shared, const Machine& machine) noexcept;

    void scan(std::uint64_t now_ns) noexcept;
    bool arm_window(std::uint64_t now_ns) noexcept;
    void back_off(std::uint64_t now_ns) noexcept;
    void record_touch(const void* address, const Opening& opening) noexcept;
    void drain(std::uint64_t now_ns) noexcept;
    void look_at_node() noexcept;
    void start_timer() noexcept;
    void set_timer(std::uint64_t cpu_time_ns) noexcept;

    SharedScan* shared_;
    ScanTunables tunables_;
    ArmedTable table_;
    HintFaultFilter filter_;
    KernelPageCalls calls_;
    GranuleMover mover_;
    FaultHandler handler_;
    AddressSpaceClock space_;
    std::atomic<std::uint32_t> threads_{0};
    std::atomic<std::uint32_t> scanning_now_{0};
    std::atomic<std::uint32_t> refusals_{0};
    std::atomic<std::uint64_t> unpaid_fault_ns_{0};  ///< CPU time in the handler that no scan has been charged with yet
    std::atomic<bool> stopped_{false};
};

}  // namespace pinwise
