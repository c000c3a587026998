#include "rest/answer_template.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "rest/json_path.hpp"

namespace holdfast::rest {
namespace {

using Texts = std::vector<std::string>;

RenderedText render(std::string_view text, std::string_view answer, std::string_view arguments = {},
                    const RenderLimits& limits = {}) {
    const auto parsed = AnswerTemplate::parsed(text);
    if (!parsed) {
        ADD_FAILURE() << text << ": " << parsed.error().message;
        return {};
    }
    auto rendered = parsed->rendered(answer, arguments, limits);
    if (!rendered) {
        ADD_FAILURE() << "not rendered: " << answer;
        return {};
    }
    return std::move(*rendered);
}

std::string shown(std::string_view text, std::string_view answer, std::string_view arguments = {}) {
    return render(text, answer, arguments).text;
}

Texts missing(std::string_view text, std::string_view answer) {
    Texts names;
    for (const std::size_t index : render(text, answer).missing) {
        names.push_back(AnswerTemplate::parsed(text)->fields()[index]);
    }
    return names;
}

/// Returns "offset: message" of the problem.
std::string problem(std::string_view text) {
    const auto parsed = AnswerTemplate::parsed(text);
    return parsed ? "none" : std::to_string(parsed.error().offset) + ": " + parsed.error().message;
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    for (std::size_t index = 0; index < count; ++index) {
        all += text;
    }
    return all;
}

TEST(AnswerTemplateTest, ShowsFieldsByPath) {
    constexpr std::string_view kAnswer =
        R"({"a":"x","b":{"c":[1,{"d e":true}]},"else":"y","ä":"ö"})";

    EXPECT_EQ(shown("{{a}} {{ b.c.0 }} {{b.c.1.'d e'}}", kAnswer), "x 1 true");
    EXPECT_EQ(shown("{{@item.else}}{{ä}}", kAnswer), "yö");
    EXPECT_EQ(shown("{{.}}", "7"), "7");
    EXPECT_EQ(shown("{{1.a}}", R"([0,{"a":"b"}])"), "b");
    EXPECT_EQ(shown("no tags, { and } and }}", "{}"), "no tags, { and } and }}");
    EXPECT_EQ(shown("{{'{{'}}{{\"a\\nb\\\"\"}}{{! not shown }}", "{}"), "{{a\nb\"");
}

TEST(AnswerTemplateTest, ShowsValuesOfEveryKind) {
    EXPECT_EQ(shown("{{.}}", R"("a\n\"b\"")"), "a\n\"b\"");
    EXPECT_EQ(shown("<{{.}}>", "null"), "<>");
    EXPECT_EQ(shown("{{.}}", "false"), "false");
    EXPECT_EQ(shown("{{.}}", "-9223372036854775808"), "-9223372036854775808");
    EXPECT_EQ(shown("{{.}}", "18446744073709551615"), "18446744073709551615");
    EXPECT_EQ(shown("{{.}}", "0.5"), "0.5");
    EXPECT_EQ(shown("{{.}}", R"(["a",1,[2,"b"],null,{"c":0.25}])"),
              R"(a, 1, [2,"b"], , {"c":0.25})");
    EXPECT_EQ(shown("{{.}}", R"({"a":{"b":[null,true]}})"), R"({"a":{"b":[null,true]}})");
}

TEST(AnswerTemplateTest, RepeatsASectionForEachItemOfAList) {
    EXPECT_EQ(shown("{{#a}}{{@number}}={{b}};{{/a}}", R"({"a":[{"b":"x"},{"b":"y"}]})"),
              "1=x;2=y;");
    EXPECT_EQ(shown("{{#a}}{{.}}{{/}}", R"({"a":[1,2,3]})"), "123");
    EXPECT_EQ(shown("{{#.}}{{#.}}{{@number}}{{.}} {{/.}}{{/.}}", R"([["a","b"],["c"]])"),
              "1a 2b 1c");
}

TEST(AnswerTemplateTest, EntersAnObjectAndShowsASectionOnceForAnyOtherValue) {
    EXPECT_EQ(shown("{{#a}}{{b}}{{/a}}", R"({"a":{"b":"x"}})"), "x");
    EXPECT_EQ(shown("{{#until}}until {{until}}{{/until}}", R"({"until":"May"})"), "until May");
    EXPECT_EQ(shown("{{#n}}{{n}}{{/n}}", R"({"n":0})"), "0");
    EXPECT_EQ(shown("{{#yes}}y{{/yes}}", R"({"yes":true})"), "y");
}

TEST(AnswerTemplateTest, ShowsTheElsePartForAnEmptyOrAbsentValue) {
    for (const std::string_view value : {"[]", "{}", "\"\"", "null", "false"}) {
        EXPECT_EQ(shown("{{#a}}some{{else}}none{{/a}}", R"({"a":)" + std::string{value} + "}"),
                  "none")
            << value;
    }
    EXPECT_EQ(shown("{{#a?}}some{{else}}none{{/a}}", "{}"), "none");
    EXPECT_EQ(shown("{{#a}}some{{/a}}", R"({"a":[]})"), "");
    EXPECT_EQ(shown("{{a | or '-'}}{{b | or '-'}}{{c | or '-'}}", R"({"a":"","b":[]})"), "---");
}

TEST(AnswerTemplateTest, ReachesTheWholeAnswerAndTheArguments) {
    EXPECT_EQ(shown("{{#a}}{{@answer.b}}{{.}}{{@arguments.id}} {{/a}}", R"({"a":[1,2],"b":"x"})",
                    R"({"id":7})"),
              "x17 x27");
    EXPECT_EQ(shown("<{{@arguments.id}}{{@number}}>", "{}"), "<>");
}

TEST(AnswerTemplateTest, DropsLinesThatContainOnlyATagThatShowsNothing) {
    EXPECT_EQ(
        shown("List:\n  {{#a}}\n- {{.}}\n  {{else}}\nnone\n  {{/a}}  \nend", R"({"a":[1,2]})"),
        "List:\n- 1\n- 2\nend");
    EXPECT_EQ(shown("{{! note }}\na {{#a}}b{{/a}}\n", R"({"a":1})"), "a b");
    EXPECT_EQ(shown("{{#a}}\n{{.}}\n{{/a}}", R"({"a":[1,2]})"), "1\n2");
}

TEST(AnswerTemplateTest, CutsAfterWholeCharacters) {
    EXPECT_EQ(shown("{{. | cut 3}}", R"("äöüß")"), "äöü...");
    EXPECT_EQ(shown("{{. | cut 4}}", R"("äöüß")"), "äöüß");
    EXPECT_EQ(shown("{{. | cut 1 '…'}}", R"("😀😀")"), "😀…");
    EXPECT_EQ(shown("{{. | cut 2}}", "12345"), "12...");
    EXPECT_EQ(shown("{{. | cut 2}}", "null"), "");
}

TEST(AnswerTemplateTest, JoinsSortsAndCounts) {
    EXPECT_EQ(shown("{{. | join '/'}}", R"(["b","a"])"), "b/a");
    EXPECT_EQ(shown("{{. | join '/'}}", R"("b")"), "b");
    EXPECT_EQ(shown("{{. | sort | join ' '}}", R"(["b",10,"a",9.5,null,"B"])"), "9.5 10 B a b");
    EXPECT_EQ(shown("{{#. | sort 'n'}}{{n}}{{s}} {{/}}",
                    R"([{"n":2,"s":"x"},{"n":1,"s":"y"},{"n":2,"s":"z"},{"n":0,"s":""}])"),
              "0 1y 2x 2z");
    EXPECT_EQ(shown("{{. | sort}}", R"({"a":1})"), R"({"a":1})");
    EXPECT_EQ(shown("{{. | count}}", "[1,2,3]"), "3");
    EXPECT_EQ(shown("{{. | count}}", R"({"a":1})"), "1");
    EXPECT_EQ(shown("{{a? | count}}", "{}"), "0");
    EXPECT_EQ(shown("{{#. | first 2}}{{.}}{{/}}", "[1,2,3]"), "12");
}

TEST(AnswerTemplateTest, FormatsNumbersAndCounts) {
    EXPECT_EQ(shown("{{. | decimals 2}}", "0.125"), "0.12");
    EXPECT_EQ(shown("{{. | decimals 1}}", "3"), "3.0");
    EXPECT_EQ(shown("{{. | decimals 0}}", "-2.5"), "-2");
    EXPECT_EQ(shown("{{. | decimals 2}}", "1e308").size(), 312U);
    EXPECT_EQ(shown("{{. | decimals 2}}", R"("n/a")"), "n/a");
    EXPECT_EQ(shown("{{. | decimals 2 | or '-'}}", "null"), "-");
    EXPECT_EQ(shown("{{. | plural 'result' 'results'}}", "1"), "1 result");
    EXPECT_EQ(shown("{{. | plural 'result' 'results'}}", "0"), "0 results");
    EXPECT_EQ(shown("{{. | plural 'tag' 'tags'}}", R"(["a"])"), "1 tag");
    EXPECT_EQ(shown("{{. | line}}", R"(" a\n\n b\t c ")"), "a b c");
}

TEST(AnswerTemplateTest, NamesFieldsThatAreMissing) {
    EXPECT_EQ(missing("{{a}}{{b.c}}{{#l}}{{x.y}}{{@answer.z}}{{/l}}",
                      R"({"b":{},"l":[{"x":{"y":1}},{}]})"),
              (Texts{"a", "b.c", "l[].x.y", "z"}));
    EXPECT_EQ(missing("{{#a}}{{/a}}", "{}"), Texts{"a"});
    EXPECT_EQ(missing("{{a.b}}", R"({"a":5})"), Texts{"a.b"});
}

TEST(AnswerTemplateTest, DoesNotWarnAboutOptionalFields) {
    EXPECT_EQ(
        missing("{{a?}}{{b | or '-'}}{{#c?}}{{/c}}{{@arguments.d}}{{n.x}}{{.}}", R"({"n":null})"),
        Texts{});
}

TEST(AnswerTemplateTest, RejectsInvalidTemplates) {
    EXPECT_EQ(problem("ab {{c"), R"(3: "{{" without "}}")");
    EXPECT_EQ(problem("{{"), R"(2: "{{" without "}}")");
    EXPECT_EQ(problem("{{}}"), "2: expected the name of a field");
    EXPECT_EQ(problem("{{a b}}"), R"(4: expected "|" or "}}")");
    EXPECT_EQ(problem("{{a | cutt 3}}"), R"(6: unknown filter "cutt"; did you mean "cut"?)");
    EXPECT_EQ(problem("{{a | cut x}}"), R"(10: expected a number from 1 to 100000 after "cut")");
    EXPECT_EQ(problem("{{a | cut 0}}"), R"(10: expected a number from 1 to 100000 after "cut")");
    EXPECT_EQ(problem("{{a | decimals 11}}"),
              R"(15: expected a number from 0 to 10 after "decimals")");
    EXPECT_EQ(problem("{{a | join}}"), R"(6: "join" takes 1 text in quotes, not 0)");
    EXPECT_EQ(problem("{{a | plural 'x'}}"), R"(6: "plural" takes 2 texts in quotes, not 1)");
    EXPECT_EQ(problem("{{a | count 'x'}}"), R"(6: "count" takes no text, not 1)");
    EXPECT_EQ(problem("{{a | join 'x}}"), "11: a quote is not closed");
    EXPECT_EQ(problem("{{@root.a}}"),
              R"(2: unknown name "@root"; expected @item, @answer, @arguments or @number)");
    EXPECT_EQ(problem("x{{#a}}"), R"(1: the section "a" is not closed; expected {{/a}})");
    EXPECT_EQ(problem("{{/a}}"), "0: {{/a}} closes no section");
    EXPECT_EQ(problem("{{#a}}{{#b}}{{/a}}"), "12: expected {{/b}}, not {{/a}}");
    EXPECT_EQ(problem("{{else}}"), "0: {{else}} outside of a section");
    EXPECT_EQ(problem("{{#a}}{{else}}{{else}}{{/a}}"),
              R"(14: a second {{else}} in the section "a")");
}

TEST(AnswerTemplateTest, LimitsTheTemplateItself) {
    EXPECT_EQ(problem(repeated("{{#a}}", 8) + repeated("{{/a}}", 8)), "none");
    EXPECT_EQ(problem(repeated("{{#a}}", 9)), "48: sections are nested more than 8 deep");
    EXPECT_EQ(problem(repeated("{{a}}", 1'000)), "none");
    EXPECT_EQ(problem(repeated("{{a}}", 1'001)), "5000: more than 1000 tags in one text");
    EXPECT_EQ(problem("{{a" + repeated(" | line", 9) + "}}"),
              "62: more than 8 filters on one value");
    EXPECT_EQ(problem("{{a" + repeated(".b", 32) + "}}"), "2: more than 32 keys in one path");
    EXPECT_EQ(problem(std::string(AnswerTemplate::kMaxBytes + 1, 'x')),
              "16384: longer than 16384 bytes");
}

TEST(AnswerTemplateTest, CutsTheOutputAtItsLimitWithANote) {
    const std::string answer = "[" + repeated(R"("äääää",)", 20'000) + "1]";

    const RenderedText rendered = render("{{#.}}{{.}}{{/.}}", answer);

    EXPECT_TRUE(rendered.is_cut);
    EXPECT_LE(rendered.text.size(), 65'536U);
    EXPECT_GT(rendered.text.size(), 65'000U);
    EXPECT_TRUE(rendered.text.ends_with(
        "ä\n[Text cut at the size limit. structuredContent has the whole answer.]"));
}

TEST(AnswerTemplateTest, ATextOfExactlyTheLimitIsNotCut) {
    const std::string answer = "\"" + std::string(65'536, 'x') + "\"";
    EXPECT_FALSE(render("{{.}}", answer).is_cut);
    EXPECT_TRUE(render("{{.}}y", answer).is_cut);
    EXPECT_EQ(render("{{.}}y", answer).text.size(), 65'536U);
}

TEST(AnswerTemplateTest, BoundsTheWorkOfSectionsThatShowNothing) {
    const std::string list = "[" + repeated("0,", 700) + "0]";

    // 700 ^ 3 steps without the limit.
    const RenderedText rendered =
        render("{{#a}}{{#@answer.a}}{{#@answer.a}}{{/}}{{/}}{{/}}", R"({"a":)" + list + "}");

    EXPECT_TRUE(rendered.is_cut);
}

TEST(AnswerTemplateTest, BoundsTheWorkOfFiltersOnLongTexts) {
    const std::string answer =
        R"({"long":")" + std::string(1'000'000, 'x') + R"(","a":[)" + repeated("0,", 9'999) + "0]}";

    const RenderedText rendered = render("{{#a}}{{@answer.long | line | cut 1 ''}}{{/a}}", answer);

    EXPECT_TRUE(rendered.is_cut);
    EXPECT_LT(rendered.text.size(), 2'000U);
}

TEST(AnswerTemplateTest, RejectsAnswersWithTooManyValuesBeforeParsing) {
    const auto parsed = AnswerTemplate::parsed("{{.}}");

    EXPECT_FALSE(parsed->rendered("[" + repeated("[],", 400'000) + "0]"));
    // Commas within a text are not values.
    EXPECT_TRUE(parsed->rendered("\"" + repeated(",[\\\"", 600'000) + "\""));
}

TEST(AnswerTemplateTest, RendersNestedAnswersUpToALimit) {
    const auto parsed = AnswerTemplate::parsed("{{. | cut 20}}");

    EXPECT_EQ(parsed->rendered(repeated("[", 512) + repeated("]", 512))->text,
              "[[[[[[[[[[[[[[[[[[[[...");
    EXPECT_FALSE(parsed->rendered(repeated("[", 513) + repeated("]", 513)));
}

TEST(AnswerTemplateTest, DoesNotRenderInvalidText) {
    const auto parsed = AnswerTemplate::parsed("{{.}}");

    EXPECT_FALSE(parsed->rendered(R"("\ud800")"));
    EXPECT_FALSE(parsed->rendered("\"\xC3\x28\""));
    EXPECT_FALSE(parsed->rendered("{\"a\":"));
}

TEST(AnswerTemplateTest, NeverInterpretsAFieldOfTheAnswerAsATag) {
    EXPECT_EQ(shown("{{a}}", R"({"a":"{{b}} {{#c}}","b":"x"})"), "{{b}} {{#c}}");
}

}  // namespace
}  // namespace holdfast::rest
