#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/unit/rest/rest_reading.hpp"

namespace holdfast::rest {
namespace {

using Texts = std::vector<std::string>;

/// Returns the fault of an entry at the position of `needle` in its second line.
Texts fault_at(const std::string& members, std::string_view needle, const std::string& message) {
    return {"mcp.json:2:" + std::to_string(members.find(needle) + 1) +
            ": mcpServers.s.tools[0].text: " + message};
}

TEST(AnswerKeysTest, ReadsATemplateAsOneTextOrAsItsLines) {
    const auto shown = [](std::string_view text) {
        const RestApi api = api_of(with_tool(R"("path":"/a","text":)" + std::string{text}));
        return api.tools.at(0).text->rendered(R"({"a":[1,2]})")->text;
    };

    EXPECT_EQ(shown(R"("{{a | join \"+\"}}")"), "1+2");
    EXPECT_EQ(shown(R"(["{{#a}}", "- {{.}}", "{{/a}}"])"), "- 1\n- 2");
}

TEST(AnswerKeysTest, NamesLineAndColumnOfAProblemInATemplate) {
    const std::string plain = with_tool(R"("path":"/a","text":"äöü {{a | cutt 3}}")");
    // Columns count characters, and each umlaut has two bytes.
    EXPECT_EQ(rest_faults_of(plain),
              fault_at(plain.substr(0, plain.find("ä")) + "aou {{a | cutt", "cutt",
                       R"(unknown filter "cutt"; did you mean "cut"?)"));

    const std::string escaped = with_tool(R"("path":"/a","text":"\"\\ {{a b}}")");
    EXPECT_EQ(rest_faults_of(escaped), fault_at(escaped, "b}}", R"(expected "|" or "}}")"));

    const std::string lines = with_tool(R"("path":"/a","text":"one\n{{a}} {{/x}}")");
    EXPECT_EQ(rest_faults_of(lines),
              fault_at(lines, "{{/x}}", "{{/x}} closes no section (line 2, column 7 of the text)"));
}

TEST(AnswerKeysTest, NamesTheListItemWithTheProblem) {
    const std::string list =
        "\"url\":\"http://h\",\"tools\":[{\"name\":\"t\",\"path\":\"/\",\"text\":[\n"
        "  \"{{#a}}\",\n"
        "  \"x {{b | decimals}}\",\n"
        "  \"{{/a}}\"]}]";

    EXPECT_EQ(rest_faults_of(list),
              Texts{"mcp.json:4:20: mcpServers.s.tools[0].text: expected a number from 0 to 10 "
                    "after \"decimals\""});
}

TEST(AnswerKeysTest, AProblemOfATemplateWithAVariableIsExternal) {
    const auto faults_with = [](const std::string& lines) {
        const auto outcome = outcome_of(with_tool(R"("path":"/a","text":)" + lines), {}, {},
                                        {{"LINE", "{{/x}}"}, {"GOOD", "x"}});
        return outcome.api ? std::vector<config::ConfigFault>{} : outcome.api.error();
    };

    for (const std::string lines : {R"("${LINE}")", R"(["a", "${LINE}"])"}) {
        const auto faults = faults_with(lines);
        ASSERT_EQ(faults.size(), 1U);
        EXPECT_TRUE(faults[0].is_external) << lines;
    }
    const auto of_file = faults_with(R"(["a", "{{/x}}"])");
    ASSERT_EQ(of_file.size(), 1U);
    EXPECT_FALSE(of_file[0].is_external);
    EXPECT_TRUE(faults_with(R"(["${GOOD}"])").empty());
}

TEST(AnswerKeysTest, AnArgumentOfAPathWithAVariableIsExternal) {
    const auto is_external = [](const std::string& path) {
        const auto outcome =
            outcome_of(with_tool(R"("path":")" + path + R"(","input":{"type":"object"})"), {}, {},
                       {{"PATH_OF_ITEM", "/items/{id}"}});
        return !outcome.api && outcome.api.error().front().is_external;
    };

    EXPECT_TRUE(is_external("${PATH_OF_ITEM}"));
    EXPECT_FALSE(is_external("/items/{id}"));
}

TEST(AnswerKeysTest, RejectsATemplateThatIsNotText) {
    EXPECT_EQ(rest_faults_of(with_tool(R"("path":"/a","text":7)")).size(), 1U);
    EXPECT_EQ(rest_faults_of(with_tool(R"("path":"/a","text":["a",7])")).size(), 1U);
}

TEST(AnswerKeysTest, ReadsARuleOverSeveralArguments) {
    const RestApi api =
        api_of(with_tool(R"("path":"/a","check":{"description":"One of them.","required":["a"]})"));

    EXPECT_EQ(api.tools.at(0).check.sentence, "One of them.");
    EXPECT_EQ(api.tools.at(0).check.schema, R"({"description":"One of them.","required":["a"]})");
    EXPECT_EQ(api.tools.at(0).input_schema.find("One of them."), std::string::npos);
}

TEST(AnswerKeysTest, RejectsARuleWithoutADescriptionOrWithAnInvalidSchema) {
    const auto message = [](std::string_view check) {
        const Texts faults =
            rest_faults_of(with_tool(R"("path":"/a","check":)" + std::string{check}));
        return faults.size() == 1 ? faults.front().substr(faults.front().find("check: ")) : "none";
    };

    EXPECT_EQ(message(R"({"required":["a"]})"),
              "check: needs \"description\": the sentence that agents get when their arguments "
              "violate the rule");
    EXPECT_TRUE(message(R"({"description":"d","required":7})").starts_with("check: invalid schema"))
        << message(R"({"description":"d","required":7})");
}

TEST(AnswerKeysTest, ReadsExpectsOfAToolAndOfTheServer) {
    const RestApi api =
        api_of(with_tool(R"("path":"/a","expects":"any")") + R"(,"expects":"json")");

    EXPECT_EQ(api.expects, AnswerForm::json);
    EXPECT_EQ(api.tools.at(0).expects, AnswerForm::any);
    EXPECT_EQ(rest_faults_of(with_tool(R"("path":"/a","expects":"xml")")).size(), 1U);
}

TEST(AnswerKeysTest, ReadsTheLimitOfAnswersAndTheInstructions) {
    const RestApi api = api_of(with_tool(R"("path":"/a")") +
                               R"(,"maxAnswer":"8MB","instructions":"Search first.")");

    EXPECT_EQ(api.max_answer_bytes, 8U * 1024 * 1024);
    EXPECT_EQ(api.instructions, "Search first.");
    EXPECT_EQ(rest_faults_of(with_tool(R"("path":"/a")") + R"(,"maxAnswer":"1")").size(), 1U);
    const Texts faults = rest_faults_of(with_tool(R"("path":"/a")") + R"(,"instructions":")" +
                                        std::string(301, 'x') + "\"");
    ASSERT_EQ(faults.size(), 1U);
    EXPECT_NE(faults.front().find("must be at most 300 bytes, not 301"), std::string::npos);
}

TEST(AnswerKeysTest, ReadsTheSameKeysFromAPreset) {
    const std::string keys =
        with_tool(R"("path":"/a","text":"{{a}}","expects":"json","check":{"description":"d"})");
    const RestApi api = api_of("", keys + R"(,"maxAnswer":"2kB","instructions":"i")");

    EXPECT_TRUE(api.tools.at(0).text);
    EXPECT_EQ(api.tools.at(0).expects, AnswerForm::json);
    EXPECT_EQ(api.tools.at(0).check.sentence, "d");
    EXPECT_EQ(api.max_answer_bytes, 2'048U);
    EXPECT_EQ(api.instructions, "i");
}

}  // namespace
}  // namespace holdfast::rest
