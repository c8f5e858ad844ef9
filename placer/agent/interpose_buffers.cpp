// Input and output: the kernel does not raise SIGSEGV when it reads or writes armed memory on behalf of the program, it
// fails with EFAULT. So the buffers are open, and stay open, while it works on them.

#include <atomic>
#include <cstddef>
#include <cstdio>

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "placer/agent/next_definition.hpp"
#include "placer/agent/program_memory.hpp"

namespace pinwise {

namespace {

// Where nothing is scanned, `call` runs in a frame that has nothing to clean up: cancellation may unwind it.
template <class Call>
auto with_buffer(const void* buffer, std::size_t bytes, Call call) {
    if (!is_scanned(buffer, bytes)) return call();
    const HeldMemory held(buffer, bytes);
    return call();
}

template <class Call>
auto with_vectors(const iovec* vectors, std::size_t count, Call call) {
    if (!any_is_scanned(vectors, count)) return call();
    const HeldVectors held(vectors, count);
    return call();
}

template <class Call>
auto with_message(const msghdr* message, Call call) {
    if (message == nullptr) return call();
    return with_vectors(message->msg_iov, message->msg_iovlen, [&] {
        return with_buffer(message->msg_control, message->msg_controllen,
                           [&] { return with_buffer(message, sizeof(*message), call); });
    });
}

std::size_t product(std::size_t a, std::size_t b) {
    std::size_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? 0 : result;
}

std::size_t as_count(int count) {
    return count < 0 ? 0 : static_cast<std::size_t>(count);
}

using Read = ssize_t (*)(int, void*, std::size_t);
using ReadChecked = ssize_t (*)(int, void*, std::size_t, std::size_t);
using Write = ssize_t (*)(int, const void*, std::size_t);
using ReadAt = ssize_t (*)(int, void*, std::size_t, off_t);
using ReadAtChecked = ssize_t (*)(int, void*, std::size_t, off_t, std::size_t);
using WriteAt = ssize_t (*)(int, const void*, std::size_t, off_t);
using Vectors = ssize_t (*)(int, const iovec*, int);
using VectorsAt = ssize_t (*)(int, const iovec*, int, off_t);
using VectorsWithFlags = ssize_t (*)(int, const iovec*, int, off_t, int);
using Receive = ssize_t (*)(int, void*, std::size_t, int);
using ReceiveChecked = ssize_t (*)(int, void*, std::size_t, std::size_t, int);
using Send = ssize_t (*)(int, const void*, std::size_t, int);
using ReceiveFrom = ssize_t (*)(int, void*, std::size_t, int, sockaddr*, socklen_t*);
using SendTo = ssize_t (*)(int, const void*, std::size_t, int, const sockaddr*, socklen_t);
using ReceiveMessage = ssize_t (*)(int, msghdr*, int);
using SendMessage = ssize_t (*)(int, const msghdr*, int);
using FileRead = std::size_t (*)(void*, std::size_t, std::size_t, FILE*);
using FileReadChecked = std::size_t (*)(void*, std::size_t, std::size_t, std::size_t, FILE*);
using FileWrite = std::size_t (*)(const void*, std::size_t, std::size_t, FILE*);
using SetBuffer = int (*)(FILE*, char*, int, std::size_t);

ssize_t read_at(const char* name, std::atomic<ReadAt>& cache, int file, void* buffer, std::size_t bytes, off_t at) {
    const ReadAt real = next_definition(name, cache);
    return with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes, at); });
}

ssize_t write_at(const char* name, std::atomic<WriteAt>& cache, int file, const void* buffer, std::size_t bytes,
                 off_t at) {
    const WriteAt real = next_definition(name, cache);
    return with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes, at); });
}

ssize_t with_list(const char* name, std::atomic<Vectors>& cache, int file, const iovec* list, int count) {
    const Vectors real = next_definition(name, cache);
    return with_vectors(list, as_count(count), [&] { return real(file, list, count); });
}

ssize_t with_list_at(const char* name, std::atomic<VectorsAt>& cache, int file, const iovec* list, int count,
                     off_t at) {
    const VectorsAt real = next_definition(name, cache);
    return with_vectors(list, as_count(count), [&] { return real(file, list, count, at); });
}

ssize_t with_list_flags(const char* name, std::atomic<VectorsWithFlags>& cache, int file, const iovec* list, int count,
                        off_t at, int flags) {
    const VectorsWithFlags real = next_definition(name, cache);
    return with_vectors(list, as_count(count), [&] { return real(file, list, count, at, flags); });
}

std::size_t read_file(const char* name, std::atomic<FileRead>& cache, void* buffer, std::size_t size, std::size_t count,
                      FILE* file) {
    const FileRead real = next_definition(name, cache);
    return with_buffer(buffer, product(size, count), [&] { return real(buffer, size, count, file); });
}

std::size_t write_file(const char* name, std::atomic<FileWrite>& cache, const void* buffer, std::size_t size,
                       std::size_t count, FILE* file) {
    const FileWrite real = next_definition(name, cache);
    return with_buffer(buffer, product(size, count), [&] { return real(buffer, size, count, file); });
}

}  // namespace

}  // namespace pinwise

extern "C" {

[[gnu::visibility("default")]] ssize_t read(int file, void* buffer, std::size_t bytes) {
    static std::atomic<pinwise::Read> cache{nullptr};
    const auto real = pinwise::next_definition("read", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes); });
}

[[gnu::visibility("default")]] ssize_t write(int file, const void* buffer, std::size_t bytes) {
    static std::atomic<pinwise::Write> cache{nullptr};
    const auto real = pinwise::next_definition("write", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes); });
}

[[gnu::visibility("default")]] ssize_t pread(int file, void* buffer, std::size_t bytes, off_t at) {
    static std::atomic<pinwise::ReadAt> cache{nullptr};
    return pinwise::read_at("pread", cache, file, buffer, bytes, at);
}

[[gnu::visibility("default")]] ssize_t pread64(int file, void* buffer, std::size_t bytes, off64_t at) {
    static std::atomic<pinwise::ReadAt> cache{nullptr};
    return pinwise::read_at("pread64", cache, file, buffer, bytes, at);
}

[[gnu::visibility("default")]] ssize_t pwrite(int file, const void* buffer, std::size_t bytes, off_t at) {
    static std::atomic<pinwise::WriteAt> cache{nullptr};
    return pinwise::write_at("pwrite", cache, file, buffer, bytes, at);
}

[[gnu::visibility("default")]] ssize_t pwrite64(int file, const void* buffer, std::size_t bytes, off64_t at) {
    static std::atomic<pinwise::WriteAt> cache{nullptr};
    return pinwise::write_at("pwrite64", cache, file, buffer, bytes, at);
}

[[gnu::visibility("default")]] ssize_t readv(int file, const iovec* list, int count) {
    static std::atomic<pinwise::Vectors> cache{nullptr};
    return pinwise::with_list("readv", cache, file, list, count);
}

[[gnu::visibility("default")]] ssize_t writev(int file, const iovec* list, int count) {
    static std::atomic<pinwise::Vectors> cache{nullptr};
    return pinwise::with_list("writev", cache, file, list, count);
}

[[gnu::visibility("default")]] ssize_t preadv(int file, const iovec* list, int count, off_t at) {
    static std::atomic<pinwise::VectorsAt> cache{nullptr};
    return pinwise::with_list_at("preadv", cache, file, list, count, at);
}

[[gnu::visibility("default")]] ssize_t preadv64(int file, const iovec* list, int count, off64_t at) {
    static std::atomic<pinwise::VectorsAt> cache{nullptr};
    return pinwise::with_list_at("preadv64", cache, file, list, count, at);
}

[[gnu::visibility("default")]] ssize_t pwritev(int file, const iovec* list, int count, off_t at) {
    static std::atomic<pinwise::VectorsAt> cache{nullptr};
    return pinwise::with_list_at("pwritev", cache, file, list, count, at);
}

[[gnu::visibility("default")]] ssize_t pwritev64(int file, const iovec* list, int count, off64_t at) {
    static std::atomic<pinwise::VectorsAt> cache{nullptr};
    return pinwise::with_list_at("pwritev64", cache, file, list, count, at);
}

[[gnu::visibility("default")]] ssize_t preadv2(int file, const iovec* list, int count, off_t at, int flags) {
    static std::atomic<pinwise::VectorsWithFlags> cache{nullptr};
    return pinwise::with_list_flags("preadv2", cache, file, list, count, at, flags);
}

[[gnu::visibility("default")]] ssize_t pwritev2(int file, const iovec* list, int count, off_t at, int flags) {
    static std::atomic<pinwise::VectorsWithFlags> cache{nullptr};
    return pinwise::with_list_flags("pwritev2", cache, file, list, count, at, flags);
}

[[gnu::visibility("default")]] ssize_t recv(int socket, void* buffer, std::size_t bytes, int flags) {
    static std::atomic<pinwise::Receive> cache{nullptr};
    const auto real = pinwise::next_definition("recv", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(socket, buffer, bytes, flags); });
}

[[gnu::visibility("default")]] ssize_t send(int socket, const void* buffer, std::size_t bytes, int flags) {
    static std::atomic<pinwise::Send> cache{nullptr};
    const auto real = pinwise::next_definition("send", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(socket, buffer, bytes, flags); });
}

[[gnu::visibility("default")]] ssize_t recvfrom(int socket, void* buffer, std::size_t bytes, int flags,
                                                sockaddr* address, socklen_t* length) {
    static std::atomic<pinwise::ReceiveFrom> cache{nullptr};
    const auto real = pinwise::next_definition("recvfrom", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(socket, buffer, bytes, flags, address, length); });
}

[[gnu::visibility("default")]] ssize_t sendto(int socket, const void* buffer, std::size_t bytes, int flags,
                                              const sockaddr* address, socklen_t length) {
    static std::atomic<pinwise::SendTo> cache{nullptr};
    const auto real = pinwise::next_definition("sendto", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(socket, buffer, bytes, flags, address, length); });
}

[[gnu::visibility("default")]] ssize_t recvmsg(int socket, msghdr* message, int flags) {
    static std::atomic<pinwise::ReceiveMessage> cache{nullptr};
    const auto real = pinwise::next_definition("recvmsg", cache);
    return pinwise::with_message(message, [&] { return real(socket, message, flags); });
}

[[gnu::visibility("default")]] ssize_t sendmsg(int socket, const msghdr* message, int flags) {
    static std::atomic<pinwise::SendMessage> cache{nullptr};
    const auto real = pinwise::next_definition("sendmsg", cache);
    return pinwise::with_message(message, [&] { return real(socket, message, flags); });
}

// Large requests go past the stream's buffer, straight to and from the caller's.

[[gnu::visibility("default")]] std::size_t fread(void* buffer, std::size_t size, std::size_t count, FILE* file) {
    static std::atomic<pinwise::FileRead> cache{nullptr};
    return pinwise::read_file("fread", cache, buffer, size, count, file);
}

[[gnu::visibility("default")]] std::size_t fread_unlocked(void* buffer, std::size_t size, std::size_t count,
                                                          FILE* file) {
    static std::atomic<pinwise::FileRead> cache{nullptr};
    return pinwise::read_file("fread_unlocked", cache, buffer, size, count, file);
}

[[gnu::visibility("default")]] std::size_t fwrite(const void* buffer, std::size_t size, std::size_t count, FILE* file) {
    static std::atomic<pinwise::FileWrite> cache{nullptr};
    return pinwise::write_file("fwrite", cache, buffer, size, count, file);
}

[[gnu::visibility("default")]] std::size_t fwrite_unlocked(const void* buffer, std::size_t size, std::size_t count,
                                                           FILE* file) {
    static std::atomic<pinwise::FileWrite> cache{nullptr};
    return pinwise::write_file("fwrite_unlocked", cache, buffer, size, count, file);
}

/// From now on the C library reads and writes it whenever it likes.
[[gnu::visibility("default")]] int setvbuf(FILE* file, char* buffer, int mode, std::size_t bytes) noexcept {
    static std::atomic<pinwise::SetBuffer> cache{nullptr};
    if (buffer != nullptr) pinwise::memory_goes(buffer, bytes);
    return pinwise::next_definition("setvbuf", cache)(file, buffer, mode, bytes);
}

// What the above are with -D_FORTIFY_SOURCE.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

[[gnu::visibility("default")]] ssize_t __read_chk(int file, void* buffer, std::size_t bytes, std::size_t room) {
    static std::atomic<pinwise::ReadChecked> cache{nullptr};
    const auto real = pinwise::next_definition("__read_chk", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes, room); });
}

[[gnu::visibility("default")]] ssize_t __pread_chk(int file, void* buffer, std::size_t bytes, off_t at,
                                                   std::size_t room) {
    static std::atomic<pinwise::ReadAtChecked> cache{nullptr};
    const auto real = pinwise::next_definition("__pread_chk", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes, at, room); });
}

[[gnu::visibility("default")]] ssize_t __pread64_chk(int file, void* buffer, std::size_t bytes, off64_t at,
                                                     std::size_t room) {
    static std::atomic<pinwise::ReadAtChecked> cache{nullptr};
    const auto real = pinwise::next_definition("__pread64_chk", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(file, buffer, bytes, at, room); });
}

[[gnu::visibility("default")]] ssize_t __recv_chk(int socket, void* buffer, std::size_t bytes, std::size_t room,
                                                  int flags) {
    static std::atomic<pinwise::ReceiveChecked> cache{nullptr};
    const auto real = pinwise::next_definition("__recv_chk", cache);
    return pinwise::with_buffer(buffer, bytes, [&] { return real(socket, buffer, bytes, room, flags); });
}

[[gnu::visibility("default")]] std::size_t __fread_chk(void* buffer, std::size_t room, std::size_t size,
                                                       std::size_t count, FILE* file) {
    static std::atomic<pinwise::FileReadChecked> cache{nullptr};
    const auto real = pinwise::next_definition("__fread_chk", cache);
    return pinwise::with_buffer(buffer, pinwise::product(size, count),
                                [&] { return real(buffer, room, size, count, file); });
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
}
