#include "runner/report/html.hpp"

#include <gtest/gtest.h>

namespace pinwise::report {
namespace {

TEST(Html, EscapesEveryTextThatIsPutIn) {
    const std::string hostile = R"(</td><script>alert("x&y")</script>')";
    EXPECT_EQ(html("<td title=\"{}\">{}</td>", hostile, hostile).markup().find("<script"), std::string::npos);
    EXPECT_EQ(html("<b>{}</b>", "<&>\"'").markup(), "<b>&lt;&amp;&gt;&quot;&#39;</b>");
}

TEST(Html, KeepsWhatIsMarkupAlready) {
    const Html inner = html("<i>{}</i>", "a<b");
    EXPECT_EQ(html("<p>{}</p>{}", inner, 3).markup(), "<p><i>a&lt;b</i></p>3");
    EXPECT_EQ((inner + html("<br>")).markup(), "<i>a&lt;b</i><br>");
}

TEST(Html, WritesWhatIsNoTextReadably) {
    EXPECT_EQ(escaped(std::string("a\0b\nc\xff", 6)), "a\\x00b\\nc\\xff");
    EXPECT_EQ(escaped("5×"), "5×");
}

}  // namespace
}  // namespace pinwise::report
