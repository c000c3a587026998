#include "cli/output/status_table.hpp"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::cli {
namespace {

std::string status_with(const std::string& servers, const std::string& rejected = "null") {
    return R"({"server":{"name":"holdfast","version":"1","pid":7,"uptime_s":3,)"
           R"("config":"/home/you/a.json","config_rejected":)" +
           rejected + R"(},"downstream_servers":{)" + servers + R"(},"circuits":[]})";
}

std::string server(const std::string& state, const std::string& reason) {
    return R"("a":{"status":")" + state + R"(","reason":")" + reason + R"("})";
}

const std::string kRejected =
    R"({"at":"2026-01-02T03:04:05.678Z","reason":"a.json:1:2: one\na.json:3:4: two"})";

TEST(StatusTest, KnowsWhetherTextIsAStatus) {
    EXPECT_TRUE(is_status(R"({"downstream_servers":{}})"));
    EXPECT_FALSE(is_status("{}"));
    EXPECT_FALSE(is_status("{\"downstream_servers\":{\"a\":\"\xff\"}}"));
    EXPECT_FALSE(is_status(""));
}

TEST(StatusTableTest, AProblemIsWhatAnOperatorShouldActOn) {
    EXPECT_FALSE(has_problem(status_with(server("connected", ""))));
    EXPECT_FALSE(has_problem(status_with(server("connecting", ""))));
    EXPECT_FALSE(has_problem(status_with(server("disconnected", "Not used yet."))));
    EXPECT_FALSE(has_problem(status_with("")));

    EXPECT_TRUE(has_problem(status_with(server("connected", "tools/list failed: x"))));
    EXPECT_TRUE(has_problem(status_with(server("error", ""))));
    EXPECT_TRUE(has_problem(status_with(server("skipped", "the variable T is not set"))));
    EXPECT_TRUE(has_problem(status_with(server("connected", ""), kRejected)));
}

TEST(StatusTableTest, ShowsWhyTheConfigIsOlderThanTheFile) {
    const std::string shown =
        shown_status(status_with(server("connected", ""), kRejected), LineCut::none);

    EXPECT_NE(shown.find("\nconfig rejected at 2026-01-02T03:04:05.678Z; the gateway runs an older "
                         "one than /home/you/a.json\n  a.json:1:2: one\n  a.json:3:4: two\n"),
              std::string::npos)
        << shown;
}

TEST(StatusTableTest, SaysWhatToDoWithoutServers) {
    const std::string shown = shown_status(status_with(""), LineCut::none);

    EXPECT_TRUE(
        shown.ends_with("no servers in /home/you/a.json; add one to \"mcpServers\", or "
                        "import those of your editors with \"holdfast import\"\n"))
        << shown;
}

}  // namespace
}  // namespace holdfast::cli
