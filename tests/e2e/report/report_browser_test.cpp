// The page in a browser: headless Chromium at phone and desktop width, light and dark.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/e2e/report/report_fixture.hpp"

namespace pinwise::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class ReportInABrowser : public Report {
protected:
    void SetUp() override {
        for (const char* const name : {"chromium", "chromium-browser", "google-chrome"})
            if (has_program(name)) browser_ = name;
        if (browser_.empty()) GTEST_SKIP() << "no chromium";
        results("run");
        ASSERT_EQ(report("run").status, 0);
    }

    /// Chromium with `arguments` on `page`, without anything it would do on its own.
    [[nodiscard]] Ended browse(const std::string& arguments, const std::string& page) const {
        return shell(fmt::format(
            "timeout 60 {0} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
            "--user-data-dir=profile --disable-background-networking --disable-component-update --disable-sync "
            "--disable-default-apps --disable-extensions --allow-file-access-from-files --hide-scrollbars "
            "--virtual-time-budget=2000 {1} 'file://{2}/{3}'",
            browser_, arguments, folder_.string(), page));
    }

    /// A page that shows the report `width` pixels wide and tells what it measures in its title.
    void frame(int width) const {
        std::ofstream(folder_ / "frame.html") << fmt::format(R"(<!DOCTYPE html><title>not measured</title>
<iframe id="report" src="report.html" style="width:{}px;height:900px;border:0"></iframe><script>
onload = () => {{
  const page = document.getElementById('report').contentDocument;
  const root = page.documentElement;
  const svgs = [...page.querySelectorAll('svg')];
  document.title = 'measured ' + JSON.stringify({{
    width: root.clientWidth, content: root.scrollWidth, svgs: svgs.length,
    named: svgs.filter(svg => page.getElementById(svg.getAttribute('aria-labelledby').split(' ')[0])).length,
    ids: [...page.querySelectorAll('[id]')].length, distinct: new Set([...page.querySelectorAll('[id]')].map(e => e.id)).size,
    tables: page.querySelectorAll('table').length, captions: page.querySelectorAll('table > caption').length}});
}};
</script>)",
                                                             width);
    }

    [[nodiscard]] json measured(int width) const {
        frame(width);
        const Ended ended = browse("--window-size=1400,1000 --dump-dom", "frame.html");
        constexpr std::string_view begin = "<title>measured ";
        const std::size_t at = ended.out.find(begin);
        EXPECT_NE(at, std::string::npos) << ended.out.substr(0, 500) << ended.err;
        if (at == std::string::npos) return json::object();
        const std::size_t from = at + begin.size();
        return json::parse(ended.out.substr(from, ended.out.find("</title>", from) - from));
    }

    static bool is_own_service(std::string_view host) {
        return host.ends_with(".google.com") || host.ends_with(".googleapis.com") || host.ends_with(".gstatic.com");
    }

    /// What was asked of the network, but for the services of its own that the browser asks unbidden.
    static std::vector<std::string> foreign_requests(const std::string& log) {
        constexpr std::string_view begin = "\"url\":\"http";
        std::vector<std::string> urls;
        for (std::size_t at = log.find(begin); at != std::string::npos; at = log.find(begin, at + 1)) {
            const std::size_t from = at + begin.size() - 4;
            const std::string url = log.substr(from, log.find('"', from) - from);
            const std::size_t host = url.find("://") + 3;
            if (!is_own_service(url.substr(host, url.find('/', host) - host))) urls.push_back(url);
        }
        return urls;
    }

    std::string browser_;
};

TEST_F(ReportInABrowser, IsNoWiderThanAPhone) {
    const json page = measured(360);
    ASSERT_EQ(page.value("width", 0), 360);
    EXPECT_LE(page.value("content", 0), 360);
    EXPECT_EQ(page.value("ids", 0), page.value("distinct", -1)) << "an id is on the page once";
    EXPECT_EQ(page.value("svgs", 0), page.value("named", -1));
    EXPECT_EQ(page.value("tables", 0), page.value("captions", -1));
    EXPECT_GT(page.value("tables", 0), 5);
}

TEST_F(ReportInABrowser, SaysNothingOnTheConsoleAndAsksForNothing) {
    const Ended ended = browse("--enable-logging=stderr --log-net-log=net.json --dump-dom", "report.html");
    EXPECT_THAT(ended.out, HasSubstr("Largest gain"));
    EXPECT_THAT(ended.err, Not(HasSubstr("CONSOLE")));
    const std::string log = read_all(folder_ / "net.json");
    ASSERT_FALSE(log.empty());
    EXPECT_THAT(foreign_requests(log), testing::IsEmpty());
    EXPECT_THAT(page(), Not(HasSubstr("google"))) << "whose addresses are left out of the log as the browser's own";
}

TEST_F(ReportInABrowser, ARequestWouldBeSeenInItsLog) {
    std::ofstream(folder_ / "asks.html") << "<!DOCTYPE html><img src=\"http://127.0.0.1:9/picture.png\">";
    static_cast<void>(browse("--log-net-log=net.json --dump-dom", "asks.html"));
    EXPECT_THAT(foreign_requests(read_all(folder_ / "net.json")),
                testing::Contains(HasSubstr("http://127.0.0.1:9/picture.png")));
}

}  // namespace
}  // namespace pinwise::test
