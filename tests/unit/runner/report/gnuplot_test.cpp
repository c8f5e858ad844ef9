#include "runner/report/gnuplot.hpp"

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>

#include "runner/report/child_program.hpp"
#include "runner/report/svg.hpp"

namespace pinwise::report {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr auto hostile = R"(<script>alert(1)</script> `touch injected` $(touch injected) ' " @x {/Bold y} \ & %s)";

class Gnuplot : public testing::Test {
protected:
    Gnuplot() {
        std::string pattern = testing::TempDir() + "/pinwise-plots-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        has_gnuplot_ = run_child({"gnuplot", "--version"}, folder_, 20).has_value();
    }
    ~Gnuplot() override { fs::remove_all(folder_); }

    static Plot hostile_plot() {
        Plot plot;
        plot.file_name = "hostile";
        plot.title = hostile;
        plot.description = hostile;
        plot.width = 380;
        plot.height = 200;
        plot.commands = common_commands() + "set xlabel " + gnuplot_text(hostile) + "\nset label 1 " +
                        gnuplot_text(hostile) + " at 1,1\nplot '-' with points title " + gnuplot_text(hostile) +
                        "\n1 1\n2 2\ne\n";
        return plot;
    }

    std::string folder_;
    bool has_gnuplot_ = false;
};

TEST_F(Gnuplot, DrawsHostileTextsAsTexts) {
    if (!has_gnuplot_) GTEST_SKIP() << "no gnuplot";
    const std::vector<Plot> plots{hostile_plot()};
    const Drawing drawing = draw(plots, folder_);
    EXPECT_EQ(drawing.why_missing, "");
    ASSERT_TRUE(drawing.svgs.at(0));
    const std::string picture = inline_svg(*drawing.svgs[0], plots[0], "p0").markup();
    EXPECT_THAT(picture, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(picture, HasSubstr("`touch injected`"));
    EXPECT_THAT(picture, Not(HasSubstr("<script")));
    for (const char* const ending : {".svg", ".png", ".pdf"})
        EXPECT_GT(fs::file_size(fs::path(folder_) / (std::string("hostile") + ending)), 500U) << ending;
    EXPECT_FALSE(fs::exists("injected"));
}

TEST_F(Gnuplot, KeepsThePicturesBeforeAFailureAndSaysWhatFailed) {
    if (!has_gnuplot_) GTEST_SKIP() << "no gnuplot";
    Plot broken = hostile_plot();
    broken.commands = "this is no command\n";
    const std::vector<Plot> plots{hostile_plot(), broken, hostile_plot()};
    const Drawing drawing = draw(plots);
    EXPECT_TRUE(drawing.svgs.at(0));
    EXPECT_FALSE(drawing.svgs.at(1));
    EXPECT_THAT(drawing.why_missing, HasSubstr("gnuplot failed: "));
}

TEST_F(Gnuplot, ThatIsNotThereIsAReductionWithAReason) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", folder_.c_str(), 1);
    const std::vector<Plot> plots{hostile_plot()};
    const Drawing drawing = draw(plots);
    setenv("PATH", path.c_str(), 1);
    EXPECT_FALSE(drawing.svgs.at(0));
    EXPECT_EQ(drawing.why_missing,
              "gnuplot cannot be started: No such file or directory (Debian: apt-get install gnuplot-nox)");
}

TEST(ChildProgram, ThatDoesNotEndIsEnded) {
    const auto ran = run_child({"sleep", "60"}, testing::TempDir(), 0.05);
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().message, "sleep did not end within 0.05 s");
}

TEST(ChildProgram, ThatFailsIsQuoted) {
    const auto ran = run_child({"sh", "-c", "echo >&2; echo 'no luck' >&2; exit 3"}, testing::TempDir(), 20);
    ASSERT_FALSE(ran);
    EXPECT_EQ(ran.error().message, "sh failed: no luck");
}

}  // namespace
}  // namespace pinwise::report
