#pragma once
/// The agent inside a program: joins the session named in the environment and follows the life of this process.
///
/// It never breaks the program: whatever does not work leaves the program running unplaced, in silence (unless
/// PINWISE_AGENT_DEBUG is set).

#include <optional>

#include <pthread.h>

#include "placer/agent/fork_mark.hpp"
#include "placer/agent/thread_follower.hpp"
#include "placer/agent/thread_placer.hpp"
#include "placer/agent/thread_start.hpp"

namespace pinwise {

class Agent {
public:
    /// The agent of this process, started on first use; null when it is in no session.
    static Agent* current();

    /// `follower` may be null.
    Agent(std::unique_ptr<ThreadPlacer> placer, std::unique_ptr<ThreadFollower> follower);

    /// Before a thread is created by the calling one. Nothing: create it as if there were no session.
    std::optional<Birth> begin_thread(const pthread_attr_t* attributes);
    void take_back(const Birth& birth) { placer_->take_back(birth); }
    /// It was created: from now on it is known by its handle too.
    void thread_created(const Birth& birth, pthread_t thread);
    /// In the new thread, before the program's code. The thread's end is noticed from then on.
    void thread_started(const Birth& birth);

    /// What the calling thread's affinity would be without the session, where its affinity is of the session's making;
    /// null everywhere else.
    [[nodiscard]] const CpuMask* mask_without_session() const;

    /// Thread of the session that the program names by its tid (0: the calling one) or handle.
    [[nodiscard]] std::optional<RecordSlot> slot_of_task(pid_t tid) const;
    [[nodiscard]] std::optional<RecordSlot> slot_of_handle(pthread_t thread) const;
    [[nodiscard]] ThreadPlacer& placer() { return *placer_; }
    [[nodiscard]] ThreadStartPool& thread_starts() { return thread_starts_; }
    /// Null: nobody follows the threads.
    [[nodiscard]] ThreadFollower* follower() { return follower_.get(); }

    /// This process is new: place its initial thread.
    void process_started();
    /// The process ends by exit(): its other threads will not end by themselves.
    void process_ends();

private:
    /// What a thread knows of itself, in its end_of_thread_ key. Never all zero: that stands for nothing.
    struct Own {
        RecordSlot slot = 0;
        pid_t tid = 0;
    };

    static void thread_ended(void* own);
    void own(const Own& own);
    [[nodiscard]] std::optional<Own> held() const;
    [[nodiscard]] std::optional<RecordSlot> own_slot() const;
    [[nodiscard]] std::optional<RecordSlot> creators_slot() const;
    [[nodiscard]] bool is_record_of(const Own& own, pid_t tid) const;
    [[nodiscard]] pid_t known_tid(const Own& own) const;

    std::unique_ptr<ThreadPlacer> placer_;
    std::unique_ptr<ThreadFollower> follower_;
    ThreadStartPool thread_starts_;
    ForkMark fork_mark_;
    pthread_key_t end_of_thread_{};
    bool sees_ends_ = false;
};

}  // namespace pinwise
