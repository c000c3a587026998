#include "surface/catalogue_publisher.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "asio/virtual_loop.hpp"

namespace holdfast::surface {
namespace {

using downstream::Listing;
using namespace std::chrono_literals;

class CataloguePublisherTest : public ::testing::Test {
protected:
    static Listing listing(ListKind kind, const std::vector<std::string>& names,
                           std::int64_t ttl_ms = 0, bool is_public = false) {
        Listing result{.kind = kind, .ttl_ms = ttl_ms, .is_public = is_public};
        for (const std::string& name : names) {
            result.entries.push_back({.key = name, .definition = R"({"name":")" + name + "\"}"});
        }
        return result;
    }
    [[nodiscard]] bool has_changed(ListKind kind) const {
        return published.back().changed[static_cast<std::size_t>(kind)];
    }
    static std::size_t count(const Publication& what, ListKind kind) {
        return what.surface->list(kind).size();
    }

    resilience::testing::VirtualLoop loop;
    std::vector<Publication> published;
    std::shared_ptr<CataloguePublisher> keeper = std::make_shared<CataloguePublisher>(
        net::OwningLoop{.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper},
        std::make_shared<const std::vector<Server>>(
            std::vector<Server>{{.name = "a"}, {.name = "b"}}),
        catalogue::CatalogueTableOptions{.withdraw_after = 30s, .debounce = 50ms},
        [this](Publication publication) { published.push_back(std::move(publication)); });
};

TEST_F(CataloguePublisherTest, PublishesKnownListsAtOnce) {
    keeper->begin_with(
        {{"a", listing(ListKind::tools, {"t"})}, {"b", listing(ListKind::prompts, {"p"})}});

    ASSERT_EQ(published.size(), 1U);
    EXPECT_NE(published[0].surface->find_tool("a__t"), nullptr);
    EXPECT_NE(published[0].surface->find_prompt("b__p"), nullptr);
    EXPECT_EQ(published[0].changed, ChangedLists{});
    loop.run_for(1min);
    EXPECT_EQ(published.size(), 1U);
}

TEST_F(CataloguePublisherTest, DebouncesChanges) {
    keeper->begin_with({});
    keeper->on_listed("a", listing(ListKind::tools, {"t"}));
    loop.run_for(49ms);
    keeper->on_listed("b", listing(ListKind::tools, {"t"}));
    EXPECT_EQ(published.size(), 1U);

    loop.run_for(1ms);

    ASSERT_EQ(published.size(), 2U);
    EXPECT_EQ(count(published[1], ListKind::tools), 2U);
    EXPECT_TRUE(has_changed(ListKind::tools));
    EXPECT_FALSE(has_changed(ListKind::prompts));
    EXPECT_GT(published[1].surface->generation(), published[0].surface->generation());
}

TEST_F(CataloguePublisherTest, PublishesNothingWhenNothingDiffers) {
    keeper->begin_with({{"a", listing(ListKind::tools, {"t"})}});

    keeper->on_listed("a", listing(ListKind::tools, {"t"}));
    loop.run_for(1min);

    EXPECT_EQ(published.size(), 1U);
}

TEST_F(CataloguePublisherTest, PublishesAnAnnouncementEvenIfNothingDiffers) {
    keeper->begin_with({});

    keeper->on_announced(ListKind::prompts);
    keeper->on_announced(ListKind::prompts);
    loop.run_for(1min);

    ASSERT_EQ(published.size(), 2U);
    EXPECT_EQ(published[1].surface, nullptr);
    EXPECT_TRUE(has_changed(ListKind::prompts));
    EXPECT_FALSE(has_changed(ListKind::tools));
}

TEST_F(CataloguePublisherTest, RemovesMissingItemsAfterADelay) {
    keeper->begin_with({{"a", listing(ListKind::tools, {"t", "u"})}});

    keeper->on_listed("a", listing(ListKind::tools, {"t"}));
    loop.run_for(29s);
    EXPECT_EQ(published.size(), 1U);
    loop.run_for(2s);

    ASSERT_EQ(published.size(), 2U);
    EXPECT_EQ(count(published[1], ListKind::tools), 1U);
}

TEST_F(CataloguePublisherTest, MergesHintsToTheShortestAndMostPrivate) {
    keeper->begin_with({{"a", listing(ListKind::tools, {"t"}, 500, true)},
                        {"b", listing(ListKind::tools, {"t"}, 200, false)},
                        {"a", listing(ListKind::prompts, {"p"}, 300, true)}});

    const Surface& surface = *published.at(0).surface;
    EXPECT_EQ(surface.hint(ListKind::tools).ttl_ms, 200);
    EXPECT_FALSE(surface.hint(ListKind::tools).is_public);
    EXPECT_EQ(surface.hint(ListKind::prompts).ttl_ms, 300);
    EXPECT_TRUE(surface.hint(ListKind::prompts).is_public);
    EXPECT_EQ(surface.hint(ListKind::resources).ttl_ms, 0);
    EXPECT_FALSE(surface.hint(ListKind::resources).is_public);
}

TEST_F(CataloguePublisherTest, LeavesNoTimerBehind) {
    keeper->begin_with({});
    keeper->on_announced(ListKind::tools);
    loop.settle();
    ASSERT_TRUE(loop.timekeeper.next());

    keeper.reset();

    EXPECT_FALSE(loop.timekeeper.next());
    loop.run_for(1s);
    EXPECT_EQ(published.size(), 1U);
}

TEST_F(CataloguePublisherTest, ReportsWhichListsASurfaceShows) {
    keeper->begin_with({});
    keeper->on_listed("a", listing(ListKind::prompts, {"p"}));
    loop.run_for(30ms);
    keeper->on_listed("a", listing(ListKind::tools, {"t"}));
    loop.run_for(20ms);

    ASSERT_EQ(published.size(), 2U);
    EXPECT_EQ(published[1].shown, (std::set<ServerList>{{"a", ListKind::prompts}}));
    loop.run_for(30ms);
    ASSERT_EQ(published.size(), 3U);
    EXPECT_EQ(published[2].shown, (std::set<ServerList>{{"a", ListKind::tools}}));
}

TEST_F(CataloguePublisherTest, AnAnnouncementShowsNoList) {
    keeper->begin_with({});
    keeper->on_announced(ListKind::tools);
    loop.run_for(30ms);
    keeper->on_listed("a", listing(ListKind::tools, {"t"}));
    loop.run_for(20ms);

    ASSERT_EQ(published.size(), 2U);
    EXPECT_EQ(published[1].surface, nullptr);
    EXPECT_TRUE(published[1].shown.empty());
}

}  // namespace
}  // namespace holdfast::surface
