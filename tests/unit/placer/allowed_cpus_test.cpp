#include "placer/topology/allowed_cpus.hpp"

#include <gmock/gmock.h>

#include "tests/machines.hpp"

namespace pinwise {
namespace {

using testing::HasSubstr;

/// Eight CPUs of which 4-7 are offline and 3 is outside of our cpuset.
class SelectAllowed : public testing::Test {
protected:
    SelectAllowed() {
        machine_.offline = CpuSet::range(4, 7);
        machine_.online = CpuSet::range(0, 3);
        machine_.allowed = CpuSet::range(0, 2);
    }

    Machine machine_;
};

TEST_F(SelectAllowed, TakesTheListAsASet) {
    const auto allowed = select_allowed(machine_, std::vector<int>{2, 0, 2}, MissingCpus::refuse);
    ASSERT_TRUE(allowed);
    EXPECT_EQ(allowed->cpus, (CpuSet{0, 2}));
    EXPECT_TRUE(allowed->notes.empty());
}

TEST_F(SelectAllowed, SaysWhichOfTheThreeReasonsItIs) {
    const auto message = [this](int cpu) {
        return select_allowed(machine_, std::vector<int>{0, cpu}, MissingCpus::refuse).error().message;
    };
    EXPECT_THAT(message(9), HasSubstr("CPU 9 is absent"));
    EXPECT_THAT(message(5), HasSubstr("CPU 5 is offline"));
    EXPECT_THAT(message(3), HasSubstr("CPU 3 is not allowed"));
    EXPECT_THAT(message(3), HasSubstr("0-2"));
}

TEST_F(SelectAllowed, DropsWhatIsMissingWithANote) {
    const auto allowed = select_allowed(machine_, std::vector<int>{0, 2, 4, 6, 9}, MissingCpus::drop);
    ASSERT_TRUE(allowed);
    EXPECT_EQ(allowed->cpus, (CpuSet{0, 2}));
    ASSERT_EQ(allowed->notes.size(), 2U);
    EXPECT_THAT(allowed->notes[0], HasSubstr("CPU 9 is absent"));
    EXPECT_THAT(allowed->notes[1], HasSubstr("CPU 4,6 is offline"));
}

TEST_F(SelectAllowed, NothingLeftIsAnErrorInBothModes) {
    for (const auto mode : {MissingCpus::refuse, MissingCpus::drop}) {
        const auto allowed = select_allowed(machine_, std::vector<int>{4, 9}, mode);
        ASSERT_FALSE(allowed);
        EXPECT_EQ(allowed.error().kind, ErrorKind::usage);
    }
}

}  // namespace
}  // namespace pinwise
