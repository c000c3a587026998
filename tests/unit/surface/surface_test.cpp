#include "surface/surface.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "surface/argument_schema.hpp"

namespace holdfast::surface {
namespace {

using catalogue::ListedItem;

/// Up to two servers "a" and "b", and their lists.
class SurfaceTest : public ::testing::Test {
protected:
    using Lists = std::vector<std::pair<std::string, std::vector<ListedItem>>>;

    void list(ListKind kind, const Lists& lists) {
        std::vector<catalogue::ServerItems> items;
        for (const auto& [server, listed] : lists) {
            items.push_back({.server = {.name = server},
                             .items = std::make_shared<const std::vector<ListedItem>>(listed)});
        }
        catalogues[static_cast<std::size_t>(kind)] =
            std::make_shared<const catalogue::Catalogue>(1, items, catalogue::CatalogueOptions{});
    }
    Surface& make(std::vector<Server> servers, const SurfaceContext& terms = {}) {
        for (auto& catalogue : catalogues) {
            if (!catalogue) {
                catalogue = std::make_shared<const catalogue::Catalogue>(
                    1, std::vector<catalogue::ServerItems>{}, catalogue::CatalogueOptions{});
            }
        }
        surface = std::make_unique<Surface>(
            7, std::make_shared<const std::vector<Server>>(std::move(servers)), catalogues,
            std::array<CacheHint, kListKinds>{{{.ttl_ms = 1}, {}, {}, {.is_public = true}}}, terms);
        return *surface;
    }
    static std::string name_of(const Server* server) {
        return server == nullptr ? "nobody" : server->name;
    }

    Catalogues catalogues;
    std::unique_ptr<Surface> surface;
};

TEST_F(SurfaceTest, IsEmptyWithoutServers) {
    const Surface& empty = make({});

    EXPECT_EQ(empty.list(ListKind::tools).size(), 0U);
    EXPECT_EQ(empty.find_tool("x"), nullptr);
    EXPECT_EQ(empty.find_prompt("x"), nullptr);
    EXPECT_EQ(empty.find_resource("a:1"), nullptr);
    EXPECT_EQ(empty.find_template("a:{x}"), nullptr);
    EXPECT_TRUE(empty.nearest_tools("x", 3).empty());
}

TEST_F(SurfaceTest, RoutesToolsAndPromptsByTheirExposedNames) {
    list(ListKind::tools, {{"a", {{"t", R"({"name":"t"})"}, {"u", R"({"name":"u"})"}}},
                           {"b", {{"t", R"({"name":"t"})"}}}});
    list(ListKind::prompts, {{"a", {}}, {"b", {{"p", R"({"name":"p"})"}}}});
    const Surface& both = make({{.name = "a"}, {.name = "b"}});

    ASSERT_NE(both.find_tool("b__t"), nullptr);
    EXPECT_EQ(both.find_tool("b__t")->own_name, "t");
    EXPECT_EQ(name_of(both.find_tool("b__t")->server), "b");
    EXPECT_EQ(name_of(both.find_tool("a__t")->server), "a");
    EXPECT_EQ(both.find_tool("t"), nullptr);
    EXPECT_EQ(name_of(both.find_tool("u")->server), "a");
    EXPECT_EQ(name_of(both.find_prompt("b__p")->server), "b");
    EXPECT_EQ(both.find_prompt("a__t"), nullptr);
    EXPECT_EQ(both.nearest_tools("b__tt", 1).at(0), "b__t");
    EXPECT_EQ(both.generation(), 7U);
}

TEST_F(SurfaceTest, ShowsTheListsOfAllServersInOrder) {
    list(ListKind::resources,
         {{"a", {{"a:1", "{1}"}, {"x:1", "{2}"}}}, {"b", {{"x:1", "{3}"}, {"b:1", "{4}"}}}});
    list(ListKind::templates,
         {{"a", {{"x:{i}", "{5}"}}}, {"b", {{"x:{i}", "{6}"}, {"y:{i}", "{7}"}}}});
    const Surface& both = make({{.name = "a"}, {.name = "b"}});

    EXPECT_EQ(both.list(ListKind::resources).page(mcp::Era::modern, 0, 9), "{1},{2},{4}");
    EXPECT_EQ(both.list(ListKind::templates).page(mcp::Era::legacy, 0, 9), "{5},{7}");
    EXPECT_EQ(both.hint(ListKind::tools).ttl_ms, 1);
    EXPECT_TRUE(both.hint(ListKind::templates).is_public);
}

TEST_F(SurfaceTest, RoutesResourcesByListThenTemplate) {
    list(ListKind::resources, {{"a", {{"x:1", "{}"}}}, {"b", {{"x:1", "{}"}, {"y:1", "{}"}}}});
    list(ListKind::templates,
         {{"a", {{"y:/s/{i}", "{}"}}}, {"b", {{"y:/s/{i}", "{}"}, {"z:/s/{i}", "{}"}}}});
    const Surface& both = make({{.name = "a"}, {.name = "b"}});

    EXPECT_EQ(name_of(both.find_resource("x:1")), "a");
    EXPECT_EQ(name_of(both.find_resource("y:1")), "b");
    EXPECT_EQ(name_of(both.find_resource("y:/s/2")), "a");
    EXPECT_EQ(name_of(both.find_resource("z:/s/2")), "b");
    EXPECT_EQ(name_of(both.find_resource("w:1")), "nobody");
    EXPECT_EQ(name_of(both.find_template("z:/s/{i}")), "b");
    EXPECT_EQ(name_of(both.find_template("y:1")), "b");
    EXPECT_EQ(name_of(both.find_template("w:{i}")), "nobody");
}

TEST_F(SurfaceTest, ATemplateThatFitsEveryUriTakesNoneFromOthers) {
    list(ListKind::templates, {{"a", {{"{+u}", "{}"}, {"file:///{+path}", "{}"}}}, {"b", {}}});
    const Surface& both = make({{.name = "a"}, {.name = "b"}});
    EXPECT_EQ(name_of(both.find_resource("db://rows/7")), "nobody");
    EXPECT_EQ(name_of(both.find_resource("file:///home/x")), "nobody");
    EXPECT_EQ(name_of(both.find_template("{+u}")), "a") << "names the template itself";

    list(ListKind::templates, {{"a", {{"{+u}", "{}"}}}});
    EXPECT_EQ(name_of(make({{.name = "a"}}).find_resource("db://rows/7")), "a");
}

TEST_F(SurfaceTest, AUriKeepsItsOwner) {
    auto owners = std::make_shared<catalogue::NameOwners>();
    owners->note("x://s/1", "b");
    owners->note("x://s/2", "b");
    owners->note("x://s/3", "gone");
    list(ListKind::resources,
         {{"a", {{"x://s/1", "{1}"}, {"x://s/3", "{3}"}}}, {"b", {{"x://s/1", "{2}"}}}});
    list(ListKind::templates, {{"a", {{"x://s/{i}", "{}"}}}, {"b", {}}});
    const Surface& both = make({{.name = "a"}, {.name = "b"}}, {.uri_owners = owners});

    EXPECT_EQ(name_of(both.find_resource("x://s/1")), "b");
    EXPECT_EQ(name_of(both.find_resource("x://s/2")), "b") << "not listed at present";
    EXPECT_EQ(name_of(both.find_resource("x://s/3")), "a") << "the owner is no longer configured";
    EXPECT_EQ(name_of(both.find_resource("x://s/4")), "a");
    EXPECT_EQ(both.list(ListKind::resources).page(mcp::Era::modern, 0, 9), "{3},{2}");
}

TEST_F(SurfaceTest, ShowsRepairedItemsAndChecksArgumentsWithTheOwnSchema) {
    const std::string own =
        R"({"name":"t","title":null,"description":"d","inputSchema":{"required":["a"]}})";
    const std::string repaired =
        R"({"name":"t","description":"d","inputSchema":{"required":["a"],"type":"object"}})";
    list(ListKind::tools, {{"a", {{"t", own, repaired}}}});
    list(ListKind::prompts,
         {{"a", {{"p", R"({"name":"p","arguments":null})", R"({"name":"p","description":"d"})"}}}});
    list(ListKind::resources,
         {{"a", {{"x:1", R"({"uri":"x:1"})", R"({"uri":"x:1","name":"x:1"})"}}}});
    const Surface& one = make({{.name = "a"}});

    EXPECT_EQ(one.list(ListKind::tools).page(mcp::Era::modern, 0, 9), repaired);
    EXPECT_EQ(one.list(ListKind::prompts).page(mcp::Era::legacy, 0, 9),
              R"({"name":"p","description":"d"})");
    EXPECT_EQ(one.list(ListKind::resources).page(mcp::Era::legacy, 0, 9),
              R"({"uri":"x:1","name":"x:1"})");
    EXPECT_TRUE(one.find_tool("t")->arguments->schema().check("{}").has_value());
    EXPECT_FALSE(one.find_tool("t")->arguments->schema().check("[1]").has_value())
        << "only the listed schema demands an object";
}

TEST_F(SurfaceTest, AsksTheOnlyServerForWhatIsNotListed) {
    const Surface& one = make({{.name = "a"}});

    EXPECT_EQ(name_of(one.find_resource("any:1")), "a");
    EXPECT_EQ(name_of(one.find_template("any:{x}")), "a");
}

}  // namespace
}  // namespace holdfast::surface
