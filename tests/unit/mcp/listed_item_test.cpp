#include "mcp/listed_item.hpp"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

struct Repair {
    std::string_view written;
    std::string_view repaired;
    std::string_view fault;
};

void check_repairs(ItemKind kind, std::string_view before, std::initializer_list<Repair> repairs) {
    for (const Repair& repair : repairs) {
        SCOPED_TRACE(repair.written);
        const std::string begin = "{" + std::string{before};
        const auto whole = [&](std::string_view members) {
            return begin + (members.empty() ? "" : ",") + std::string{members} + "}";
        };
        const CheckedItem item = checked_item(kind, whole(repair.written));

        EXPECT_TRUE(item.is_usable);
        EXPECT_EQ(item.repaired, whole(repair.repaired));
        ASSERT_EQ(item.faults.size(), 1U);
        EXPECT_EQ(item.faults.front(), repair.fault);
    }
}

void check_unchanged(ItemKind kind, std::initializer_list<std::string_view> definitions) {
    for (const std::string_view definition : definitions) {
        const CheckedItem item = checked_item(kind, definition);

        EXPECT_EQ(item.repaired, "") << definition;
        EXPECT_TRUE(item.faults.empty()) << definition;
        EXPECT_TRUE(item.is_usable) << definition;
    }
}

TEST(ListedItemTest, LeavesValidItemsAsTheyAre) {
    check_unchanged(
        ItemKind::tool,
        {R"({ "name" : "t","inputSchema":{"type":"object"}})",
         R"({"name":"t","title":"T","description":"","icons":[],"_meta":{},"x":null,
             "annotations":{"readOnlyHint":true,"title":"A","other":1},
             "icons":[{"src":"data:,","mimeType":"image/png","sizes":["1x1"],"theme":"dark"}],
             "inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema",
              "type":"obj\u0065ct","properties":{"a":{},"b":{"type":"array"}},"required":["a"],
              "$defs":{"d":true},"anyOf":[true,{"required":["b"]}],"additionalProperties":false},
             "outputSchema":{"type":"object","properties":{}}})",
         R"({"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}})",
         R"({"name":"t","inputSchema":{"type":"object"},"outputSchema":{}})",
         R"({"name":"t","title":null,"title":"the last counts","inputSchema":{"type":"object"}})"});
    check_unchanged(ItemKind::prompt,
                    {R"({"name":"p"})", R"({"name":"p","arguments":[]})",
                     R"({"name":"p","arguments":[{"name":"a","required":false,"x":1}]})"});
    check_unchanged(ItemKind::resource,
                    {R"({"uri":"a:b","name":""})",
                     R"({"uri":"a:b","name":"n","mimeType":"text/plain","size":-1.5e3,
             "annotations":{"audience":["user","assistant"],"priority":1,
              "lastModified":"2024-02-29T23:59:59.123+05:30"}})",
                     R"({"uri":"a:b","name":"n","annotations":{"priority":0.0,"audience":[],
              "lastModified":"2025-01-12T15:00Z"}})"});
    check_unchanged(ItemKind::resource_template,
                    {R"({"uriTemplate":"a:{b}","name":"n","size":"not a member of templates"})"});
}

TEST(ListedItemTest, RemovesMembersOfTheWrongType) {
    constexpr std::string_view kTool = R"("name":"t","inputSchema":{"type":"object"})";
    check_repairs(
        ItemKind::tool, kTool,
        {{R"("title":null)", "", R"("title" is not a string (removed))"},
         {R"("description":7)", "", R"("description" is not a string (removed))"},
         {R"("annotations":null)", "", R"("annotations" is not an object (removed))"},
         {R"("annotations":{"readOnlyHint":"yes","title":"A"})", R"("annotations":{"title":"A"})",
          R"("annotations.readOnlyHint" is not true or false (removed))"},
         {R"("icons":{})", "", R"("icons" is not an array (removed))"},
         {R"("icons":[{}])", "", R"("icons[0]" has no "src" (removed))"},
         {R"("icons":[7,{"src":"s"}])", R"("icons":[{"src":"s"}])",
          R"("icons[0]" has no "src" (removed))"},
         {R"("icons":[{"src":"s","sizes":"1x1"}])", R"("icons":[{"src":"s"}])",
          R"("icons[0].sizes" is not an array of strings (removed))"},
         {R"("_meta":null)", "", R"("_meta" is not an object (removed))"},
         {R"("_meta":[])", "", R"("_meta" is not an object (removed))"},
         {R"("outputSchema":null)", "", R"("outputSchema" is not an object (removed))"},
         {R"("outputSchema":{"type":"object","properties":[]})",
          R"("outputSchema":{"type":"object"})",
          R"("outputSchema.properties" is not an object (removed))"},
         {R"("title":"first","title":null)", "", R"("title" is not a string (removed))"}});
    check_repairs(
        ItemKind::prompt, R"("name":"p")",
        {{R"("arguments":null)", "", R"("arguments" is not an array (removed))"},
         {R"("arguments":[{"required":true},{"name":"b"}])", R"("arguments":[{"name":"b"}])",
          R"("arguments[0]" has no "name" (removed))"},
         {R"("arguments":[{"name":"a","required":"true"}])", R"("arguments":[{"name":"a"}])",
          R"("arguments[0].required" is not true or false (removed))"}});
    check_repairs(
        ItemKind::resource, R"("uri":"a:b","name":"n")",
        {{R"("mimeType":null)", "", R"("mimeType" is not a string (removed))"},
         {R"("size":"5")", "", R"("size" is not a number (removed))"},
         {R"("annotations":{"priority":5})", R"("annotations":{})",
          R"("annotations.priority" is not a number from 0 to 1 (removed))"},
         {R"("annotations":{"audience":["model"]})", R"("annotations":{})",
          R"("annotations.audience" is not an array of "user" and "assistant" (removed))"},
         {R"("annotations":{"lastModified":"2025-02-29T00:00:00Z"})", R"("annotations":{})",
          R"("annotations.lastModified" is not a time of ISO 8601 with a zone (removed))"}});
}

TEST(ListedItemTest, KnowsTheTimesThatClientsAccept) {
    for (const std::string_view time :
         {"2025-01-12", "2025-01-12T15:00:00", "2025-13-01T00:00Z", "2025-04-31T00:00Z",
          "2025-01-12T24:00Z", "2025-01-12T15:00:60Z", "2025-01-12T15:00:00.Z",
          "2025-01-12T15:00:00+2:00", "2025-01-12T15:00:00Z ", "yesterday", ""}) {
        const CheckedItem item = checked_item(
            ItemKind::resource, R"({"uri":"a:b","name":"n","annotations":{"lastModified":")" +
                                    std::string{time} + R"("}})");

        EXPECT_EQ(item.repaired, R"({"uri":"a:b","name":"n","annotations":{}})") << time;
    }
}

TEST(ListedItemTest, ExpressesSchemasAsObjects) {
    check_repairs(
        ItemKind::tool, R"("name":"t")",
        {{R"("inputSchema":{})", R"("inputSchema":{"type":"object"})",
          R"("inputSchema.type" is not "object" (added))"},
         {R"("inputSchema":{"anyOf":[{"required":["a"]}],"type":null})",
          R"("inputSchema":{"anyOf":[{"required":["a"]}],"type":"object"})",
          R"("inputSchema.type" is not "object" (added))"},
         {R"("inputSchema":{"type":["null","object"],"x":1})",
          R"("inputSchema":{"type":"object","x":1})",
          R"("inputSchema.type" is not "object" alone (replaced))"},
         {R"("inputSchema":{"type":"object","$schema":1})", R"("inputSchema":{"type":"object"})",
          R"("inputSchema.$schema" is not a string (removed))"},
         {R"("inputSchema":{"type":"object","properties":null})",
          R"("inputSchema":{"type":"object"})",
          R"("inputSchema.properties" is not an object (removed))"},
         {R"("inputSchema":{"type":"object","required":"a"})", R"("inputSchema":{"type":"object"})",
          R"("inputSchema.required" is not an array of strings (removed))"},
         {R"("inputSchema":{"type":"object","properties":{"a":true,"b":{}}})",
          R"("inputSchema":{"type":"object","properties":{"a":{},"b":{}}})",
          R"("inputSchema.properties.a" is not an object (replaced by one))"},
         {R"("inputSchema":{"type":"object","properties":{"a":false}})",
          R"("inputSchema":{"type":"object","properties":{"a":{"not":{}}}})",
          R"("inputSchema.properties.a" is not an object (replaced by one))"}});
}

TEST(ListedItemTest, NamesAResourceByItsUri) {
    check_repairs(
        ItemKind::resource, R"("uri":"a:\u0062")",
        {{"", R"("name":"a:\u0062")", R"("name" is not a string (replaced by the URI))"}});
    check_repairs(
        ItemKind::resource_template, R"("uriTemplate":"a:{b}")",
        {{R"("name":7)", R"("name":"a:{b}")", R"("name" is not a string (replaced by the URI))"}});
}

TEST(ListedItemTest, RejectsAToolThatNoRepairHelps) {
    const auto why = [](std::string_view definition) {
        const CheckedItem item = checked_item(ItemKind::tool, definition);
        EXPECT_FALSE(item.is_usable);
        EXPECT_EQ(item.repaired, "");
        return item.faults.size() == 1 ? item.faults.front() : std::string{};
    };

    EXPECT_EQ(why(R"({"name":"t","title":1})"), R"("inputSchema" is missing)");
    EXPECT_EQ(why(R"({"name":"t","inputSchema":true})"), R"("inputSchema" is not an object)");
    for (const std::string_view type : {R"("array")", R"(["string","null"])"}) {
        EXPECT_EQ(why(R"({"name":"t","inputSchema":{"type":)" + std::string{type} + "}}"),
                  R"("inputSchema.type" is not "object", so it accepts no arguments)");
    }
}

TEST(ListedItemTest, ReportsALimitedNumberOfFaults) {
    std::string properties;
    for (int index = 0; index < 1'000; ++index) {
        properties += (index == 0 ? "\"" : ",\"") + std::to_string(index) + "\":true";
    }

    const CheckedItem item = checked_item(
        ItemKind::tool,
        R"({"name":"t","inputSchema":{"type":"object","properties":{)" + properties + "}}}");

    EXPECT_EQ(item.faults.size(), 10U);
    EXPECT_EQ(item.repaired.find("true"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::mcp
