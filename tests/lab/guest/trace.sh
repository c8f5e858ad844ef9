# What the scheduler does to the threads of one program, by name, in a trace instance of our own. Sourced, never run.
# shellcheck shell=bash

trace_instance=/sys/kernel/tracing/instances/lab

# The clock is that of CLOCK_MONOTONIC, so that events compare with what a program notes. Children bear the creator's
# name when they wake up first.
trace_open() { # COMM
    local event
    mkdir -p "$trace_instance"
    echo 0 > "$trace_instance/tracing_on"
    echo mono > "$trace_instance/trace_clock"
    echo 1024 > "$trace_instance/buffer_size_kb"
    for event in sched_wakeup_new sched_migrate_task; do
        echo "comm==\"$1\"" > "$trace_instance/events/sched/$event/filter"
        echo 1 > "$trace_instance/events/sched/$event/enable"
    done
}

trace_start() {
    echo > "$trace_instance/trace"
    echo 1 > "$trace_instance/tracing_on"
}

trace_stop() { # FILE
    echo 0 > "$trace_instance/tracing_on"
    cat "$trace_instance/trace" > "$1"
}
