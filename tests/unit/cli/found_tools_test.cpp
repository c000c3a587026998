#include "cli/output/found_tools.hpp"

#include <gtest/gtest.h>

#include "support/golden.hpp"

namespace holdfast::cli {
namespace {

const std::string kReason =
    "the model is not installed: /home/somebody/with/a/long/name/.local/share/holdfast/models/"
    "all-MiniLM-L6-v2.hfmodel does not exist; install it with holdfast model install";
const std::string kDescription =
    "Sends a message to somebody and waits until it has been delivered, at most a minute for each "
    "of the receivers";

std::string found() {
    return R"({"step":"keyword","why":[{"step":"hybrid","reason":")" + kReason +
           R"("}],"tools":[{"name":"send_mail","server":"post","step":"keyword","healthy":true,)"
           R"("score":0.91,"parts":{"keyword":1.2,"coverage":0.5,"nearness":0,"nameCoverage":0.5,)"
           R"("serverSupport":0},"description":")" +
           kDescription +
           R"("},{"name":"read_mail","server":"post","step":"keyword","healthy":false,)"
           R"("score":0.4,"parts":{"keyword":0.7,"coverage":0.25,"nearness":0,"nameCoverage":0,)"
           R"("serverSupport":0},"description":"Reads a message"}]})";
}

TEST(FoundToolsTest, AreThoseOfTheGoldenFile) {
    test::expect_golden("found_tools",
                        "to a terminal:\n" + shown_found(found(), {.cut = LineCut::for_terminal}) +
                            "\nto a pipe:\n" + shown_found(found(), {}) + "\nexplained:\n" +
                            shown_found(found(), {.explains = true}));
}

TEST(FoundToolsTest, AreNotCutUnlessATerminalShowsThem) {
    const std::string shown = shown_found(found(), {});

    EXPECT_NE(shown.find(kReason), std::string::npos) << shown;
    EXPECT_NE(shown.find(kDescription), std::string::npos) << shown;
}

}  // namespace
}  // namespace holdfast::cli
