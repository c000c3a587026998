#include "config/document.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/config/config_reading.hpp"

namespace holdfast::config {
namespace {

Node document_of(std::string_view text) {
    FaultReport report{"a.json"};
    auto root = read_document(text, report);
    EXPECT_EQ(texts_of(report.faults()), std::vector<std::string>{});
    return root.value_or(Node{});
}

std::vector<std::string> document_faults(std::string_view text, const DocumentLimits& limits = {}) {
    FaultReport report{"a.json"};
    EXPECT_FALSE(read_document(text, report, limits));
    return texts_of(report.take_faults());
}

TEST(DocumentTest, ReadsEveryKindOfValue) {
    const Node root = document_of(R"([null, true, false, -1.5e2, "text", [], {"key": 1}])");

    ASSERT_EQ(root.items.size(), 7U);
    EXPECT_EQ(root.items[0].kind, NodeKind::null);
    EXPECT_TRUE(root.items[1].boolean);
    EXPECT_FALSE(root.items[2].boolean);
    EXPECT_EQ(root.items[3].number, -150.0);
    EXPECT_EQ(root.items[3].text, "-1.5e2");
    EXPECT_EQ(root.items[4].text, "text");
    EXPECT_EQ(root.items[5].kind, NodeKind::list);
    EXPECT_EQ(root.items[6].find("key")->number, 1);
    EXPECT_EQ(root.items[6].find("other"), nullptr);
}

TEST(DocumentTest, TakesCommentsTrailingCommasAndAByteOrderMark) {
    const Node root =
        document_of("\xEF\xBB\xBF/* one\n * two */ {\"a\": [1, 2, /**/], // end\n}//");

    ASSERT_NE(root.find("a"), nullptr);
    EXPECT_EQ(root.find("a")->items.size(), 2U);
    EXPECT_EQ(root.place, (Place{.line = 2, .column = 11}));
}

TEST(DocumentTest, KnowsWhereEveryKeyAndValueStands) {
    const Node root =
        document_of("{\r\n  \"\xC3\xA9\xF0\x9F\x98\x80\": true,\r  \"b\": [\n\"x\"]}");

    EXPECT_EQ(root.members[0].key_place, (Place{.line = 2, .column = 3}));
    EXPECT_EQ(root.members[0].value.place, (Place{.line = 2, .column = 9}));
    EXPECT_EQ(root.members[1].key_place, (Place{.line = 3, .column = 3}));
    EXPECT_EQ(root.members[1].value.items[0].place, (Place{.line = 4, .column = 1}));
}

TEST(DocumentTest, DecodesEscapes) {
    const Node root = document_of(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00")");

    EXPECT_EQ(root.text, "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}

TEST(DocumentTest, ReportsSeveralSlipsAtOnce) {
    const auto faults = document_faults(
        "{\n"
        "  name: 'x'\n"
        "  \"path\": \"C:\\Users\",\n"
        "  \"on\": True\n"
        "}\n");

    const std::vector<std::string> expected = {
        "a.json:2:3: a key needs double quotes",
        "a.json:2:9: single quotes; use double quotes",
        "a.json:3:3: missing comma before this",
        "a.json:3:14: invalid escape; write a backslash as \\\\",
        ("a.json:4:9: invalid value; expected true, false, null, a number, or text in double "
         "quotes"),
    };
    EXPECT_EQ(faults, expected);
}

TEST(DocumentTest, NamesTheFirstLineOfARepeatedKeyAndStillReads) {
    FaultReport report{"a.json"};

    const auto root = read_document("{\"docs\": 1,\n \"other\": 2,\n \"docs\": 3}", report);

    ASSERT_TRUE(root);
    EXPECT_EQ(root->members.size(), 3U);
    EXPECT_EQ(texts_of(report.faults()),
              std::vector<std::string>{"a.json:3:2: docs: duplicate key, first defined on line 1"});
}

TEST(DocumentTest, RefusesDocumentsThatAreTooDeepOrTooLarge) {
    const DocumentLimits limits = {.max_bytes = 20, .max_depth = 3, .max_values = 5};

    EXPECT_EQ(document_faults("[[[[]]]]", limits).front(),
              "a.json:1:4: more than 3 levels of nesting");
    EXPECT_EQ(document_faults(std::string(21, ' '), limits).front(),
              "a.json:1:1: the file has more than 20 bytes; is it a config?");
    EXPECT_EQ(document_faults("[1,2,3,4,5]", limits).front(),
              "a.json:1:10: the file has more than 5 values; is it a config?");
    FaultReport report{"a.json"};
    EXPECT_TRUE(read_document("[[[]], 1, 2]", report, limits));
}

TEST(DocumentTest, DepthIsCountedByOpenBrackets) {
    FaultReport report{"a.json"};

    EXPECT_TRUE(read_document("[[{}], [{}], {}]", report, {.max_depth = 3}));
}

TEST(DocumentTest, StopsAtTwentyFaults) {
    std::string text = "[";
    for (int count = 0; count < 50; ++count) {
        text += "word,";
    }

    EXPECT_EQ(document_faults(text + "]").size(), 20U);
}

TEST(DocumentTest, RefusesNumbersThatJsonDoesNotHave) {
    for (const char* text :
         {"01", "-", "1.", ".5", "+1", "1e", "0x10", "NaN", "Infinity", "1e999"}) {
        EXPECT_EQ(document_faults(text).size(), 1U) << text;
    }
}

TEST(DocumentTest, RefusesBytesThatAreNotUtf8) {
    for (const char* text : {"\"\x80\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xF4\x90\x80\x80\"",
                             "\"\xE2\x82\"", "\"\xFF\""}) {
        EXPECT_EQ(document_faults(text).front(),
                  "a.json:1:2: invalid UTF-8; save the file as UTF-8");
    }
}

TEST(DocumentTest, ShowsNoWordOfTheTextInAMessage) {
    for (const char* text : {"{\"token\": hunter2}", "{\"token\": 'hunter2'}", "{\"a\": \"hunter2",
                             "{\"a\": \"hunter2\\x\"}", "{\"a\" \"hunter2\"}", "{hunter2: 1}"}) {
        for (const std::string& fault : document_faults(text)) {
            EXPECT_EQ(fault.find("hunter2"), std::string::npos) << fault;
        }
    }
}

}  // namespace
}  // namespace holdfast::config
