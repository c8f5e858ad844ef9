#include "placer/quoted.hpp"

#include <gmock/gmock.h>

namespace pinwise {
namespace {

TEST(Quoted, RepeatsOrdinaryTextAndUtf8) {
    EXPECT_EQ(in_quotes("Zürich → 漢字 😀"), "\"Zürich → 漢字 😀\"");
    EXPECT_EQ(in_quotes(""), "\"\"");
    EXPECT_EQ(printable("a\\b"), "a\\b");
}

TEST(Quoted, EscapesWhatATerminalWouldActOn) {
    EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
    EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // U+009B is an escape sequence's beginning too
}

TEST(Quoted, EscapesBytesThatAreNotUtf8) {
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(Quoted, ShortensLongTextWithoutCuttingACharacter) {
    EXPECT_EQ(printable(std::string(5000, 'x')), std::string(max_quoted_bytes, 'x') + "...");
    const std::string exact(max_quoted_bytes, 'x');
    EXPECT_EQ(printable(exact), exact);
    EXPECT_EQ(printable(std::string(max_quoted_bytes - 1, 'x') + "é!"),
              std::string(max_quoted_bytes - 1, 'x') + "é...");
    EXPECT_EQ(on_one_line(std::string(5000, 'x') + "\n"), std::string(5000, 'x') + "\\n");
}

}  // namespace
}  // namespace pinwise
