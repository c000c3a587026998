#include "search/tool_document.hpp"

#include <gtest/gtest.h>

namespace holdfast::search {
namespace {

TEST(ToolDocumentTest, EmbedsServerNameAndDescription) {
    EXPECT_EQ(embedding_text({.name = "getUser_byId", .server = "my-crm", .description = "One."}),
              "my crm get User by Id: One.");
}

TEST(ToolDocumentTest, CutsADescriptionBetweenCharacters) {
    const ToolDocument tool{.name = "a", .description = "xé€"};

    // "a: x" has four bytes, "é" two, "€" three.
    EXPECT_EQ(embedding_text(tool, 5), "a: x");
    EXPECT_EQ(embedding_text(tool, 6), "a: xé");
    EXPECT_EQ(embedding_text(tool, 8), "a: xé");
    EXPECT_EQ(embedding_text(tool, 9), "a: xé€");
}

TEST(ToolDocumentTest, CutsANameBetweenCharacters) {
    EXPECT_EQ(embedding_text({.name = "éé", .server = "€"}, 3), "€ é: ");
}

}  // namespace
}  // namespace holdfast::search
