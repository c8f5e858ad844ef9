#include "runner/report/svg.hpp"

#include <gmock/gmock.h>

namespace pinwise::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// As gnuplot 5.4 writes it.
constexpr auto drawn = R"svg(<?xml version="1.0" encoding="utf-8"  standalone="no"?>
<svg 
 viewBox="0 0 380 200"
 xmlns="http://www.w3.org/2000/svg"
>
<title>Gnuplot</title>
<desc>Produced by GNUPLOT 5.4 patchlevel 4 </desc>

<g id="gnuplot_canvas">
<defs>
	<circle id='gpPt5' stroke='currentColor' cx='0' cy='0' r='1'/>
	<use xlink:href='#gpPt5' id='gpPt6' fill='currentColor' stroke='none'/>
	<filter id='textbox' x='0'>
	</filter>
</defs>
<g fill="none" color="black" stroke="currentColor" stroke-width="1.00" stroke-linecap="butt" stroke-linejoin="miter">
</g>
<g fill="none" color="black" stroke="rgb(128, 128, 128)" stroke-width="1.00" stroke-linecap="butt" stroke-linejoin="miter">
	<use xlink:href='#gpPt6' transform='translate(20.97,65.69) scale(2.25)' color='rgb(  0, 114, 178)'/>
	<g transform="translate(24.31,48.86)" stroke="none" fill="rgb(0,0,0)"><text>a &lt; b</text></g>
</g>
</g>
</svg>
)svg";

Plot plot() {
    Plot made;
    made.title = "Triad <of> every trial";
    made.description = "dots";
    made.width = 380;
    made.height = 200;
    return made;
}

TEST(InlineSvg, TakesThePagesColours) {
    const std::string picture = inline_svg(drawn, plot(), "p7").markup();
    EXPECT_THAT(picture, HasSubstr("color='var(--s1)'"));
    EXPECT_THAT(picture, HasSubstr("stroke=\"var(--axis)\""));
    EXPECT_THAT(picture, HasSubstr("fill=\"currentColor\"><text>a &lt; b"));
    EXPECT_THAT(picture, Not(HasSubstr("black")));
}

TEST(InlineSvg, HasIdsAndANameOfItsOwn) {
    const std::string picture = inline_svg(drawn, plot(), "p7").markup();
    EXPECT_THAT(picture, HasSubstr("<title id=\"p7-title\">Triad &lt;of&gt; every trial</title>"));
    EXPECT_THAT(picture, HasSubstr("<use xlink:href='#p7-gpPt5' id='p7-gpPt6'"));
    EXPECT_THAT(picture, HasSubstr("<filter id='p7-textbox'"));
    EXPECT_THAT(picture, HasSubstr("<g id=\"p7-canvas\">"));
    EXPECT_THAT(picture, Not(HasSubstr("GNUPLOT")));
}

TEST(InlineSvg, LosesGroupsWithNothingInThem) {
    const std::string picture = inline_svg(drawn, plot(), "p7").markup();
    EXPECT_THAT(picture, Not(HasSubstr(">\n</g>\n<g fill")));
    std::size_t opened = 0;
    std::size_t closed = 0;
    for (std::size_t at = 0; (at = picture.find("<g ", at)) != std::string::npos; ++at)
        ++opened;
    for (std::size_t at = 0; (at = picture.find("</g>", at)) != std::string::npos; ++at)
        ++closed;
    EXPECT_EQ(opened, 3U);
    EXPECT_EQ(closed, 3U);
}

TEST(InlineSvg, OfSomethingElseIsNothing) {
    for (const char* const other : {"", "<svg></svg>", "no picture", "</svg><g "})
        EXPECT_TRUE(inline_svg(other, plot(), "p").empty()) << other;
}

}  // namespace
}  // namespace pinwise::report
