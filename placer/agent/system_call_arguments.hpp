#pragma once
/// The calls that a program makes through syscall().

namespace pinwise {

/// Every system call has at most six arguments; those it does not have are ignored by the kernel.
struct SystemCallArguments {
    long a, b, c, d, e, f;
};

using MakeSystemCall = long (*)(long number, const SystemCallArguments& with);

/// A call of the program's that the affinity part has no interest in; `make` is the real thing. Each of the agent's two
/// libraries has its own definition.
long watched_system_call(long number, const SystemCallArguments& with, MakeSystemCall make);

}  // namespace pinwise
