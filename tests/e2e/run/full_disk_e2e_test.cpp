// A run on a small file system that is really full, in a mount namespace of the test's own.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/e2e/run/run_fixture.hpp"

namespace pinwise {
namespace {

namespace fs = std::filesystem;
using test::Ended;
using test::read_all;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

void write_file(const char* path, const std::string& text) {
    std::ofstream(path) << text;
}

/// As root a mount namespace, else a user namespace in which we are root. Why neither is permitted, or "".
std::string enter_mount_namespace() {
    const uid_t user = getuid();
    const gid_t group = getgid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return fmt::format("no mount namespace of our own here: {}", std::strerror(errno));
        write_file("/proc/self/setgroups", "deny");
        write_file("/proc/self/uid_map", fmt::format("0 {} 1", user));
        write_file("/proc/self/gid_map", fmt::format("0 {} 1", group));
    }
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0) return {};
    return fmt::format("mounts cannot be made private here: {}", std::strerror(errno));
}

/// small/ is a file system of 1 MiB.
class FullDisk : public test::RunFixture {
protected:
    void SetUp() override {
        if (const std::string why = enter_mount_namespace(); !why.empty()) GTEST_SKIP() << why;
        fs::create_directory(folder_ / "small");
        if (mount("tmpfs", (folder_ / "small").c_str(), "tmpfs", 0, "size=1m") != 0)
            GTEST_SKIP() << "no file system can be mounted here: " << std::strerror(errno);
        mounted_ = true;
        config("repetitions = 4\nseed = 3\nnoise_floor = false\n",
               "[[matrix]]\npolicy = \"os\"\n[[matrix]]\npolicy = \"os\"\ncpus = \"one-per-thread\"\n");
    }
    void TearDown() override {
        if (mounted_) umount2((folder_ / "small").c_str(), MNT_DETACH);
    }

    /// In the third trial the disk is filled up to `free_pages` while the workload runs, before it writes.
    void workload_that_fills_the_disk(int free_pages) const {
        fake_workload(
            fmt::format("echo x >> runs\n"
                        "if [ \"$(wc -l <runs)\" -ge 3 ] && [ ! -e room ] && [ ! -e small/filler ]; then\n"
                        "  cat /dev/zero >> small/filler 2>/dev/null; truncate -s -{} small/filler\n"
                        "fi\n"
                        "{{ echo \"$good\" && head -c 5000 /dev/zero | tr '\\0' ' '; }} > \"$json\" || exit 1",
                        free_pages * 4096));
    }

    /// Trial and position, in the order of the file; every trial is whole, finished, and there once.
    [[nodiscard]] std::vector<std::pair<int, int>> whole_trials(const std::string& results) const {
        std::vector<std::pair<int, int>> found;
        std::map<int, std::size_t> rows_of_trial;
        for (const TrialRow& row : rows(results)) {
            EXPECT_EQ(row.status, "ok") << row.reason;
            if (++rows_of_trial[row.trial] == 1) found.emplace_back(row.trial, row.position);
        }
        for (const auto& [trial, count] : rows_of_trial)
            EXPECT_EQ(count, 4U) << "of trial " << trial;
        return found;
    }

    bool mounted_ = false;
};

TEST_F(FullDisk, LosesNoFinishedTrialAndGoesOnWhenThereIsSpace) {
    fake_workload("echo \"$good\" > \"$json\"");
    ASSERT_EQ(pinwise("run test.toml -o whole -q").status, 0) << read_all(folder_ / "err");
    const auto whole = whole_trials("whole");
    ASSERT_EQ(whole.size(), 8U);
    for (const int free_pages : {0, 1, 3}) {
        SCOPED_TRACE(free_pages);
        workload_that_fills_the_disk(free_pages);
        const Ended ended = pinwise("run test.toml -o small/results -q");
        EXPECT_EQ(ended.status, 1);
        EXPECT_THAT(ended.err, AllOf(StartsWith("pinwise: cannot write small/results/"),
                                     HasSubstr("No space left on device; trials recorded before are in small/results"),
                                     EndsWith("(pinwise run --resume small/results goes on)\n")));
        EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
        const auto before = whole_trials("small/results");
        EXPECT_GE(before.size(), 2U);
        EXPECT_LT(before.size(), 8U);
        EXPECT_THAT(pinwise("validate small/results").out,
                    AllOf(HasSubstr("of 8 trials: the run was ended early"), HasSubstr("1 checked, 1 problem\n")));

        const Ended still_full = pinwise("run --resume small/results -q");
        EXPECT_EQ(still_full.status, 1);
        EXPECT_EQ(std::ranges::count(still_full.err, '\n'), 1) << still_full.err;
        EXPECT_EQ(whole_trials("small/results").size(), before.size());

        fs::remove(folder_ / "small" / "filler");
        write_file((folder_ / "room").c_str(), "from here on\n");
        const Ended resumed = pinwise("run --resume small/results -q");
        EXPECT_EQ(resumed.status, 0) << resumed.err;
        EXPECT_EQ(whole_trials("small/results"), whole);
        EXPECT_EQ(pinwise("validate small/results").status, 0) << read_all(folder_ / "out");
        fs::remove_all(folder_ / "small" / "results");
        for (const char* const file : {"runs", "room"})
            fs::remove(folder_ / file);
    }
}

TEST_F(FullDisk, ARunThatCannotEvenStartSaysSoInOneLine) {
    fake_workload("echo \"$good\" > \"$json\"");
    ASSERT_NE(std::system(fmt::format("cat /dev/zero > '{}/small/filler' 2>/dev/null", folder_.string()).c_str()), 0);
    const Ended ended = pinwise("run test.toml -o small/results -q");
    EXPECT_EQ(ended.status, 1);
    EXPECT_THAT(ended.err, AllOf(StartsWith("pinwise: cannot write"), EndsWith("No space left on device\n")));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
}

}  // namespace
}  // namespace pinwise
