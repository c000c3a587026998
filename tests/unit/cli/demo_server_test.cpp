#include "cli/demo/demo_server.hpp"

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "cli/demo/demo_tools.hpp"

namespace holdfast::cli {
namespace {

using std::chrono::seconds;

std::string call(const std::string& tool, const std::string& arguments) {
    return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + tool +
           R"(","arguments":)" + arguments + "}}";
}

std::string answer_of(const std::string& tool, const std::string& arguments) {
    for (const auto tools : {steady_demo_tools(), flaky_demo_tools()}) {
        for (const DemoTool& one : tools) {
            if (one.name == tool) {
                const DemoAnswer answer = one.run(arguments);
                return (answer.is_error ? "error: " : "") + answer.text;
            }
        }
    }
    return "no such tool";
}

TEST(DemoToolsTest, ConvertsUnits) {
    EXPECT_EQ(answer_of("convert_units", R"({"value":26.2,"from":"mi","to":"km"})"),
              "26.2 mi = 42.1648 km");
    EXPECT_EQ(answer_of("convert_units", R"({"value":100,"from":"C","to":"F"})"), "100 C = 212 F");
    EXPECT_EQ(answer_of("convert_units", R"({"value":-40,"from":"F","to":"C"})"), "-40 F = -40 C");
    EXPECT_EQ(answer_of("convert_units", R"({"value":1,"from":"lb","to":"oz"})"), "1 lb = 16 oz");
    EXPECT_EQ(answer_of("convert_units", R"({"value":1,"from":"kg","to":"m"})"),
              "error: kg is a mass, m a length.");
    EXPECT_TRUE(answer_of("convert_units", R"({"value":1,"from":"ell","to":"m"})")
                    .starts_with("error: There is no unit \"ell\""));
    EXPECT_EQ(answer_of("convert_units", ""), "error: value must be a number.");
}

TEST(DemoToolsTest, CountsDays) {
    EXPECT_EQ(answer_of("days_between", R"({"from":"2024-02-28","to":"2024-03-01"})"), "2 days");
    EXPECT_EQ(answer_of("days_between", R"({"from":"2026-01-02","to":"2026-01-01"})"), "-1 day");
    for (const std::string wrong :
         {"2026-02-30", "2026-1-1", "2026-01-0x", "today", "-001-01-01"}) {
        EXPECT_TRUE(answer_of("days_between", R"({"from":")" + wrong + R"(","to":"2026-01-01"})")
                        .starts_with("error: "))
            << wrong;
    }
}

TEST(DemoToolsTest, CountsWords) {
    EXPECT_EQ(answer_of("word_count", R"({"text":"  one two\n\tthree "})"), "3 words");
    EXPECT_EQ(answer_of("word_count", R"({"text":"one"})"), "1 word");
    EXPECT_EQ(answer_of("word_count", "{}"), "0 words");
}

TEST(DemoToolsTest, KnowsAirportsAndBooksSeats) {
    EXPECT_EQ(answer_of("find_airport", R"({"city":"LISBON"})"), "LIS, Humberto Delgado");
    EXPECT_TRUE(answer_of("find_airport", R"({"city":"Atlantis"})").starts_with("error: "));
    EXPECT_TRUE(
        answer_of("book_seat", R"({"flight":"HF 204"})").ends_with(" is booked on HF 204."));
    EXPECT_TRUE(answer_of("book_seat", "{}").starts_with("error: "));
}

TEST(DemoServerTest, SpeaksTheRevisionThatItIsAskedFor) {
    const DemoServer server{false};
    const auto revision = [&server](const std::string& asked) {
        return server
            .on_line(
                R"({"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":")" +
                    asked + R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})",
                seconds{0})
            .line;
    };

    EXPECT_TRUE(
        revision("2025-03-26")
            .starts_with(R"({"jsonrpc":"2.0","id":"a","result":{"protocolVersion":"2025-03-26")"));
    EXPECT_NE(revision("1999-01-01").find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
}

TEST(DemoServerTest, AnswersWhatItKnowsAndRefusesTheRest) {
    const DemoServer server{false};
    const auto answer = [&server](const std::string& line) {
        return server.on_line(line, seconds{0}).line;
    };

    EXPECT_EQ(answer(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"),
              R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_EQ(answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
    EXPECT_NE(answer(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})").find("convert_units"),
              std::string::npos);
    EXPECT_EQ(
        answer(call("word_count", R"({"text":"a b"})")),
        R"({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"2 words"}]}})");
    EXPECT_NE(answer(call("days_between", "{}")).find(R"("isError":true)"), std::string::npos);
    EXPECT_NE(answer(call("nothing", "{}")).find("-32602"), std::string::npos);
    EXPECT_NE(answer(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})").find("-32601"),
              std::string::npos);
    EXPECT_NE(answer("nonsense").find("-32700"), std::string::npos);
}

TEST(DemoServerTest, FailsInTheLastThirdOfAMinute) {
    const DemoServer flaky{true};
    const DemoServer steady{false};
    const std::string line = call("find_airport", R"({"city":"Oslo"})");
    const std::string good = flaky.on_line(line, seconds{0}).line;

    EXPECT_EQ(flaky.on_line(line, seconds{39}).line, good);
    EXPECT_EQ(flaky.on_line(line, seconds{40}).line, "");
    EXPECT_EQ(flaky.on_line(line, seconds{45}).line, "");
    EXPECT_TRUE(flaky.on_line(line, seconds{46}).line.starts_with("Segmentation"));
    EXPECT_FALSE(flaky.on_line(line, seconds{49}).ends);
    EXPECT_TRUE(flaky.on_line(line, seconds{50}).ends);
    EXPECT_TRUE(flaky.on_line(line, seconds{54}).ends);
    EXPECT_EQ(flaky.on_line(line, seconds{55}).line, good);
    EXPECT_GT(flaky.on_line(line, seconds{59}).wait, seconds{1});
    EXPECT_EQ(flaky.on_line(R"({"jsonrpc":"2.0","id":1,"method":"ping"})", seconds{50}).line,
              R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_FALSE(steady.on_line(call("word_count", "{}"), seconds{50}).ends);
}

TEST(DemoServerTest, ServesUntilItsInputEnds) {
    std::istringstream input{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n" +
                             call("word_count", R"({"text":"a"})") + "\n"};
    std::ostringstream output;
    std::ostringstream log;

    EXPECT_EQ(run_demo_server({.is_flaky = false}, input, output, log), 0);

    EXPECT_NE(output.str().find("\"result\":{}}\n"), std::string::npos);
    EXPECT_NE(output.str().find("1 word"), std::string::npos);
    EXPECT_EQ(log.str(), "");
}

}  // namespace
}  // namespace holdfast::cli
