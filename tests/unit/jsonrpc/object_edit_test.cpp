#include "jsonrpc/object_edit.hpp"

#include <gtest/gtest.h>

#include <string>

#include "jsonrpc/message_reader.hpp"

namespace holdfast::jsonrpc {
namespace {

class ObjectEditTest : public ::testing::Test {
protected:
    ObjectView object(std::string text) {
        text_ = PaddedText{std::move(text)};
        return reader_.read_object(text_, text_.view());
    }

    PaddedText text_;
    MessageReader reader_;
};

TEST_F(ObjectEditTest, KeepsBytesAndOrderOfUnchangedMembers) {
    ObjectEdit edit{object(R"({ "a" : 1.0e1 , "\u0062":[1, 2],"c":{"d":  "e"}})")};

    edit.set("c", "3").remove("missing");

    EXPECT_EQ(edit.text(), R"({"a":1.0e1,"\u0062":[1, 2],"c":3})");
}

TEST_F(ObjectEditTest, AppendsNewMembersAndRemovesAllMembersOfAName) {
    ObjectEdit edit{object(R"({"a":1,"b":2,"a":3})")};

    edit.remove("a").set("new\"key", "{}");

    EXPECT_EQ(edit.text(), R"({"b":2,"new\"key":{}})");
}

TEST_F(ObjectEditTest, SettingANameLeavesOneMember) {
    ObjectEdit edit{object(R"({"a":1,"b":2,"a":3})")};

    edit.set("a", "0");

    EXPECT_EQ(edit.text(), R"({"a":0,"b":2})");
}

TEST_F(ObjectEditTest, TreatsAMissingObjectAsEmpty) {
    ObjectEdit edit{ObjectView{}};

    EXPECT_EQ(edit.text(), "{}");
    EXPECT_EQ(edit.set("a", "1").text(), R"({"a":1})");
}

TEST_F(ObjectEditTest, SetsOneMemberOfAText) {
    EXPECT_EQ(with_member(R"({"a": 1,"b":2})", "b", "[3]"), R"({"a":1,"b":[3]})");
    EXPECT_EQ(with_member("{}", "b", "3"), R"({"b":3})");
    EXPECT_EQ(with_member("[]", "b", "3"), R"({"b":3})");
}

}  // namespace
}  // namespace holdfast::jsonrpc
