#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "config/object_reader.hpp"
#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Reads one key of an object whose value is `text`.
class VariableValueTest : public testing::Test {
protected:
    [[nodiscard]] ObjectReader reader(std::string text, Variables variables) {
        object_ = Node{};
        object_.kind = NodeKind::object;
        Member& member = object_.members.emplace_back();
        member.key = "key";
        member.value.kind = NodeKind::text;
        member.value.text = std::move(text);
        Interpolator{environment_of(std::move(variables)), report_, secrets_}.expand(object_, "");
        return {report_, object_, ""};
    }

    [[nodiscard]] std::optional<Duration> duration(std::string text, Variables variables) {
        Duration value{-1};
        reader(std::move(text), std::move(variables)).read_duration("key", value, kAnyDuration);
        return value == Duration{-1} ? std::nullopt : std::optional{value};
    }

    [[nodiscard]] std::optional<bool> flag(std::string text, Variables variables) {
        std::optional<bool> value;
        reader(std::move(text), std::move(variables)).read_bool("key", value);
        return value;
    }

    [[nodiscard]] std::optional<std::size_t> count(std::string text, Variables variables) {
        std::size_t value = 0;
        reader(std::move(text), std::move(variables))
            .read_count("key", value, {.min = 1, .max = 10});
        return value == 0 ? std::nullopt : std::optional{value};
    }

    [[nodiscard]] std::vector<std::string> faults() { return texts_of(report_.take_faults()); }
    [[nodiscard]] std::vector<std::string> warnings() { return texts_of(report_.take_warnings()); }

private:
    FaultReport report_{"a.json"};
    SecretList secrets_;
    Node object_;
};

TEST_F(VariableValueTest, ABareNumberOfAVariableIsSeconds) {
    EXPECT_EQ(duration("${T:-60s}", {{"T", "90"}}), seconds{90});
    EXPECT_EQ(duration("${T:-60s}", {{"T", "0.2"}}), milliseconds{200});
    EXPECT_EQ(duration("${T:-60s}", {{"T", "90s"}}), seconds{90});
    EXPECT_EQ(duration("${T:-60s}", {{"T", "1500ms"}}), milliseconds{1'500});
    EXPECT_EQ(duration("${NONE:-${T:-60s}}", {{"T", "90"}}), seconds{90});
    EXPECT_TRUE(faults().empty());
    EXPECT_TRUE(warnings().empty());
}

TEST_F(VariableValueTest, BlanksAroundAreIgnoredAndEmptyIsUnset) {
    EXPECT_EQ(duration("${T:-60s}", {{"T", " 90 \n"}}), seconds{90});
    EXPECT_EQ(duration("${T:-60s}", {{"T", ""}}), seconds{60});
    EXPECT_EQ(duration("${T:-60s}", {{"T", "\t "}}), seconds{60});
    EXPECT_EQ(flag("${T:-no}", {{"T", " YES "}}), true);
    EXPECT_EQ(count("${T:-1}", {{"T", " 7 "}}), 7U);
    EXPECT_TRUE(faults().empty());
}

TEST_F(VariableValueTest, ADurationWrittenInTheFileNeedsItsUnit) {
    EXPECT_EQ(duration("90", {}), std::nullopt);
    EXPECT_EQ(duration("${T:-90}", {}), std::nullopt);
    EXPECT_EQ(duration(" 90s", {}), std::nullopt);
    EXPECT_EQ(faults().size(), 3U);
}

TEST_F(VariableValueTest, AFlagHasEightWordsInAnyCase) {
    for (const char* word : {"true", "TRUE", "1", "yes", "Yes", "on", "oN"}) {
        EXPECT_EQ(flag("${F:-false}", {{"F", word}}), true) << word;
    }
    for (const char* word : {"false", "False", "0", "no", "NO", "off"}) {
        EXPECT_EQ(flag("${F:-true}", {{"F", word}}), false) << word;
    }
    EXPECT_TRUE(faults().empty());
    EXPECT_EQ(flag("yes", {}), std::nullopt) << "only a variable has these words";
}

TEST_F(VariableValueTest, AFaultNamesTheVariableAndItsValue) {
    EXPECT_EQ(duration("${T:-60s}", {{"T", "soon"}}), std::nullopt);
    EXPECT_EQ(duration("${T:-60s}", {{"T", "-5"}}), std::nullopt);
    EXPECT_EQ(duration("${NONE:-${T:-60s}}", {{"T", "48h"}}), std::nullopt);
    EXPECT_EQ(flag("${F:-true}", {{"F", "2"}}), std::nullopt);
    EXPECT_EQ(count("${C:-5}", {{"C", "2.5"}}), std::nullopt);
    EXPECT_EQ(count("${C:-5}", {{"C", "11"}}), std::nullopt);
    EXPECT_EQ(count("${C}", {{"C", " "}}), std::nullopt);
    EXPECT_EQ(
        faults(),
        (std::vector<std::string>{
            R"(a.json:1:1: key: the variable T is "soon"; expected seconds, or a duration as in "90s" or "1500ms")",
            R"(a.json:1:1: key: the variable T is "-5"; expected seconds, or a duration as in "90s" or "1500ms")",
            R"(a.json:1:1: key: the variable T is "48h"; expected between 0ms and 24h)",
            R"(a.json:1:1: key: the variable F is "2"; expected true, false, 1, 0, yes, no, on or off)",
            R"(a.json:1:1: key: the variable C is "2.5"; expected a whole number)",
            R"(a.json:1:1: key: the variable C is "11"; expected between 1 and 10)",
            R"(a.json:1:1: key: the variable C is empty; expected a whole number)"}));
}

TEST_F(VariableValueTest, TheValueOfASecretIsNotShown) {
    EXPECT_EQ(duration("${MY_TOKEN:-60s}", {{"MY_TOKEN", "hunter2"}}), std::nullopt);
    EXPECT_EQ(faults(), (std::vector<std::string>{
                            "a.json:1:1: key: the variable MY_TOKEN has an invalid value; expected "
                            R"(seconds, or a duration as in "90s" or "1500ms")"}));
    EXPECT_EQ(duration("${MY_TOKEN:-${OTHER}}", {{"OTHER", "hunter2"}}), std::nullopt);
    EXPECT_EQ(faults().front().find("hunter2"), std::string::npos);
}

TEST_F(VariableValueTest, MoreThanAnHourIsAWarning) {
    EXPECT_EQ(duration("${T:-60s}", {{"T", "3600"}}), seconds{3'600});
    EXPECT_TRUE(warnings().empty());
    EXPECT_EQ(duration("${T:-60s}", {{"T", "60000"}}), seconds{60'000});
    EXPECT_EQ(warnings(),
              (std::vector<std::string>{"a.json:1:1: key: the variable T is \"60000\", more than "
                                        "3600 s; a number without a unit is seconds"}));
    EXPECT_EQ(duration("2h", {}), seconds{7'200});
    EXPECT_TRUE(warnings().empty()) << "the file says its unit";
}

TEST_F(VariableValueTest, ServersTakeTheSameForms) {
    const Config config =
        config_of(R"({"mcpServers": {"a": {"url": "${URL}", "timeout": "${T}", "disabled": "${OFF}",
                                          "reconnect": {"attempts": "${N:-3}"}}}})",
                  {{"URL", " http://h/mcp\n"}, {"T", "7"}, {"OFF", "no"}});

    EXPECT_EQ(std::get<HttpTarget>(config.servers[0].target).url, "http://h/mcp");
    EXPECT_EQ(config.servers[0].timeout, seconds{7});
    EXPECT_FALSE(config.servers[0].is_disabled);
    EXPECT_EQ(config.servers[0].reconnect.attempts, 3U);
}

}  // namespace
}  // namespace holdfast::config
