#include "runner/trial/migration_executor.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/trial/mock_executor.hpp"
#include "tests/unit/workloads/temporary_tree.hpp"

namespace pinwise {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

TrialSpec with_migration(const std::string& migration) {
    TrialSpec spec;
    spec.strategy.migration = migration;
    return spec;
}

class MigrationExecutorTest : public testing::Test {
protected:
    void SetUp() override { tree_.file("numa_balancing", "0\n"); }
    [[nodiscard]] std::string file() const { return tree_.root() / "numa_balancing"; }

    test::TemporaryTree tree_;
    std::vector<std::string> seen_;  ///< the sysctl's value while each trial ran
    TrialResult result_;
    MockExecutor inner_{[this](const TrialSpec&) {
        std::ifstream(file()) >> seen_.emplace_back();
        return result_;
    }};
};

TEST_F(MigrationExecutorTest, TurnsTheKernelsBalancingOnForItsOwnTrialsOnly) {
    MigrationExecutor executor(inner_, KernelBalancing::open(file()));
    for (const char* migration : {"kernel", "none", "kernel", "scan-staggered"}) {
        const TrialResult result = executor.run(with_migration(migration));
        EXPECT_EQ(result.status, TrialStatus::ok);
        EXPECT_EQ(result.kernel_balancing, std::string(migration) == "kernel");
    }
    EXPECT_THAT(seen_, ElementsAre("1", "0", "1", "0"));
}

TEST_F(MigrationExecutorTest, LeavesItAloneWhereNoTrialIsAboutIt) {
    tree_.file("numa_balancing", "1\n");
    MigrationExecutor executor(inner_, std::nullopt);
    EXPECT_FALSE(executor.run(with_migration("scan-staggered")).kernel_balancing.has_value());
    EXPECT_THAT(seen_, ElementsAre("1"));
}

TEST_F(MigrationExecutorTest, FailsTheTrialsThatCannotHaveItAndRunsTheOthersWithANote) {
    MigrationExecutor executor(inner_, KernelBalancing::open("/nonexistent/numa_balancing"));
    const TrialResult kernel = executor.run(with_migration("kernel"));
    EXPECT_EQ(kernel.status, TrialStatus::failed);
    EXPECT_THAT(kernel.reason, HasSubstr("migration kernel: this kernel has no NUMA balancing"));
    EXPECT_THAT(seen_, IsEmpty());
    const TrialResult scan = executor.run(with_migration("scan-staggered"));
    EXPECT_EQ(scan.status, TrialStatus::ok);
    EXPECT_THAT(scan.notes, ElementsAre(HasSubstr("the kernel's NUMA balancing is as it was")));
}

TEST_F(MigrationExecutorTest, AddsWhatWasMigratedToFinishedTrialsOnly) {
    result_.scan.emplace();
    MigrationExecutor executor(inner_, std::nullopt);
    EXPECT_THAT(executor.run(with_migration("scan-staggered")).migration,
                Contains(Field(&Metric::name, "numa_pages_migrated")));
    result_.status = TrialStatus::failed;
    EXPECT_THAT(executor.run(with_migration("scan-staggered")).migration, IsEmpty());
}

TEST(HasMigration, IsAQuestionOfAnyTrial) {
    const std::vector<TrialSpec> none{with_migration("none"), with_migration("none")};
    const std::vector<TrialSpec> scans{with_migration("none"), with_migration("scan-staggered")};
    const std::vector<TrialSpec> kernel{with_migration("kernel"), with_migration("none")};
    EXPECT_FALSE(has_migration(none));
    EXPECT_TRUE(has_migration(scans));
    EXPECT_FALSE(has_kernel_migration(scans));
    EXPECT_TRUE(has_kernel_migration(kernel));
}

}  // namespace
}  // namespace pinwise
