// The preset `ucp`: the error about an unavailable server suggests similar tools of healthy
// servers.

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "end_to_end/acceptance.hpp"
#include "support/process_watch.hpp"

namespace holdfast::test {
namespace {

constexpr int kRate = 20;
constexpr std::string_view kNamed = "- One of these tools, which are available now: ";
// A minute of the gateway is three seconds here: a circuit that must stay open needs more.
constexpr std::string_view kStaysOpen = R"("open":"1h")";
// For repeated calls that must not fail because of the circuit.
constexpr std::string_view kStaysClosed = R"("failures":1000)";

std::string described(const std::string& name, const std::string& description) {
    return R"({"name":")" + name + R"(","description":")" + description +
           R"(","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}})";
}

std::string read_page() {
    return described("read_page", "Read a page of the project documentation by its title.");
}

/// `docs` and `mirror` serve the same page tool, `archive` a similar one, `weather` another.
class UcpSuggestions : public testing::TestWithParam<AgentLeg> {
protected:
    void start(std::string_view circuit_of_docs = kStaysOpen,
               const std::string& more_sections = {}) {
        add("docs", docs_, circuit_of_docs);
        add("mirror", mirror_, kStaysOpen);
        add("archive", archive_, kStaysOpen);
        add("weather", weather_, kStaysOpen);
        scene_.scene().add_section(R"("preset":"ucp")");
        if (!more_sections.empty()) {
            scene_.scene().add_section(more_sections);
        }
        scene_.start(GetParam(), kRate, "docs__read_page");
        for (const char* tool : {"mirror__read_page", "archive__read_page", "weather__forecast"}) {
            ASSERT_TRUE(scene_.agent().finds_tool(tool));
        }
    }
    /// Five failed attempts in two calls open a circuit.
    void open_circuit(TroubledServer& server, const std::string& tool) {
        server.does({"junk"});
        std::ignore = scene_.answer(tool);
        std::ignore = scene_.answer(tool);
        ASSERT_EQ(scene_.code(tool), "CIRCUIT_OPEN");
    }

    /// Repeats a call until its answer contains the text, and returns the last answer. The first
    /// failures may suggest nothing: the index may not exist yet, and at this rate a failure waits
    /// only 2.5 ms for the lookup.
    [[nodiscard]] std::string answer_with(std::string_view words, const std::string& tool) {
        std::string answer;
        EXPECT_TRUE(eventually([&] {
            answer = scene_.answer(tool);
            return has(text_in(answer), words);
        })) << words
            << " is not in " << answer;
        return answer;
    }

    TroubledServer docs_{{read_page()}};
    TroubledServer mirror_{{read_page()}};
    TroubledServer archive_{
        {described("read_page", "Read an old page of the project documentation by its title.")}};
    TroubledServer weather_{{described("forecast", "Weather forecast of a city for tomorrow.")}};
    Acceptance scene_;

private:
    void add(const std::string& name, const TroubledServer& server, std::string_view circuit) {
        scene_.scene().add_server(name, server.stdio_entry(R"("circuits":{")" + name + R"(":{)" +
                                                           std::string{circuit} + "}}"));
    }
};

TEST_P(UcpSuggestions, AnOpenCircuitNamesTheTwoNearestToolsOfOtherServersAndCallsNone) {
    start();
    open_circuit(docs_, "docs__read_page");

    const std::string answer = answer_with(
        std::string{kNamed} + "mirror__read_page, archive__read_page", "docs__read_page");

    EXPECT_TRUE(has(answer, R"("code":"CIRCUIT_OPEN")")) << answer;
    EXPECT_TRUE(has(answer, R"("alternatives":["mirror__read_page","archive__read_page"])"))
        << answer;
    EXPECT_EQ(mirror_.arrival_count(), 0U);
    EXPECT_EQ(archive_.arrival_count(), 0U);
}

TEST_P(UcpSuggestions, ALostServerNamesThem) {
    start(kStaysClosed);
    docs_.refuses_to_start(true);
    docs_.does({"die"});

    const std::string answer =
        answer_with(std::string{kNamed} + "mirror__read_page", "docs__read_page");

    EXPECT_TRUE(has(answer, R"("code":"CONNECTION_LOST")") ||
                has(answer, R"("code":"RETRY_EXHAUSTED")"))
        << answer;
}

TEST_P(UcpSuggestions, UnhealthyToolsAreNotNamed) {
    start();
    open_circuit(mirror_, "mirror__read_page");
    open_circuit(docs_, "docs__read_page");

    const std::string text =
        text_in(answer_with(std::string{kNamed} + "archive__read_page", "docs__read_page"));

    EXPECT_FALSE(has(text, "mirror__read_page")) << text;
}

TEST_P(UcpSuggestions, UnrelatedServersAreNotNamed) {
    start();
    open_circuit(docs_, "docs__read_page");
    std::ignore = answer_with(kNamed, "docs__read_page");  // the index exists
    open_circuit(weather_, "weather__forecast");
    std::ignore = scene_.answer("weather__forecast");

    const std::string text = text_in(scene_.answer("weather__forecast"));

    EXPECT_FALSE(has(text, kNamed)) << text;
    EXPECT_TRUE(has(text, "- A different tool if this one is unavailable")) << text;
}

TEST_P(UcpSuggestions, ToolsOfARuleComeFirst) {
    start(kStaysClosed,
          R"("tools":[{"match":"docs.read_page","alternatives":["weather.forecast"]}])");
    weather_.does({"ok sunny"});
    docs_.does({"junk"});

    const std::string answer = answer_with(
        std::string{kNamed} + "weather__forecast, mirror__read_page", "docs__read_page");

    EXPECT_TRUE(has(answer, R"("code":"RETRY_EXHAUSTED")")) << answer;
}

TEST_P(UcpSuggestions, OtherFailuresNameNothing) {
    start();
    docs_.does({"rpc -32000 there is no such page"});

    const std::string text = text_in(scene_.answer("docs__read_page"));

    EXPECT_FALSE(has(text, kNamed)) << text;
}

TEST_P(UcpSuggestions, CanBeDisabledByAPolicy) {
    start(kStaysOpen, R"("policies":{"default":{"suggestAlternatives":false}})");
    open_circuit(docs_, "docs__read_page");

    const std::string text = text_in(scene_.answer("docs__read_page"));

    EXPECT_FALSE(has(text, kNamed)) << text;
}

INSTANTIATE_TEST_SUITE_P(Agent, UcpSuggestions, testing::ValuesIn(kAcceptanceLegs), leg_name);

}  // namespace
}  // namespace holdfast::test
