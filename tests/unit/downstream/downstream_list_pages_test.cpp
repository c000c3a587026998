#include <gtest/gtest.h>

#include "downstream/supervision/list_pages.hpp"
#include "downstream_fakes.hpp"

namespace holdfast::downstream {
namespace {

using testing::answer_of;
using Step = ListPages::Step;

std::vector<std::string> keys_of(const Listing& listing) {
    std::vector<std::string> keys;
    for (const ListedEntry& entry : listing.entries) {
        keys.push_back(entry.key);
    }
    return keys;
}

std::string prompts_page(const std::string& name, const std::string& more) {
    return R"({"prompts":[{"name":")" + name + R"("}])" + more + "}";
}

TEST(ListPagesTest, ReadsPageAfterPageWithCursorsAsWritten) {
    ListPages pages{ListKind::prompts, {}};
    EXPECT_EQ(pages.params_members(), "");

    EXPECT_EQ(pages.add(answer_of(prompts_page("a", R"(,"nextCursor":"x\u0041")"))),
              Step::ask_again);
    EXPECT_EQ(pages.params_members(), R"("cursor":"x\u0041")");
    EXPECT_EQ(pages.add(answer_of(prompts_page("b", R"(,"nextCursor":"")"))), Step::ask_again);
    EXPECT_EQ(pages.params_members(), R"("cursor":"")");
    EXPECT_EQ(pages.add(answer_of(prompts_page("c", ""))), Step::complete);

    EXPECT_EQ(keys_of(pages.take()), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(ListPagesTest, StopsAtARepeatedCursor) {
    ListPages pages{ListKind::prompts, {}};

    EXPECT_EQ(pages.add(answer_of(prompts_page("a", R"(,"nextCursor":"x")"))), Step::ask_again);
    EXPECT_EQ(pages.add(answer_of(prompts_page("b", R"(,"nextCursor":"x")"))), Step::complete);

    EXPECT_EQ(pages.take().entries.size(), 2U);
}

TEST(ListPagesTest, StopsAtTheLimits) {
    ListPages few_pages{ListKind::prompts, {.max_pages = 1}};
    ListPages few_entries{ListKind::prompts, {.max_entries = 1}};

    EXPECT_EQ(few_pages.add(answer_of(prompts_page("a", R"(,"nextCursor":"x")"))), Step::complete);
    EXPECT_EQ(few_entries.add(answer_of(prompts_page("a", R"(,"nextCursor":"x")"))),
              Step::complete);
}

TEST(ListPagesTest, SkipsInvalidEntries) {
    ListPages pages{ListKind::tools, {}};

    EXPECT_EQ(pages.add(answer_of(R"({"tools":[
        {"name":"good","inputSchema":{"type":"object"}}, 7, {"inputSchema":{}},
        {"name":"","inputSchema":{}}, {"name":3,"inputSchema":{}},
        {"name":"bare"}, {"name":"flat","inputSchema":true},
        {"name":"good","inputSchema":{"again":1}}]})")),
              Step::complete);

    const Listing listing = pages.take();
    ASSERT_EQ(listing.entries.size(), 1U);
    EXPECT_EQ(listing.entries[0].key, "good");
    EXPECT_EQ(listing.entries[0].definition, R"({"name":"good","inputSchema":{"type":"object"}})");
}

TEST(ListPagesTest, ReportsWhatItRepairsAndSkips) {
    ListPages pages{ListKind::tools, {}};

    EXPECT_EQ(pages.add(answer_of(R"({"tools":[
        {"name":"good","inputSchema":{"type":"object"}}, 7,
        {"name":"","inputSchema":{}}, {"name":"bare"},
        {"name":"odd","title":null,"inputSchema":{}},
        {"name":"good","inputSchema":{"again":1}}]})")),
              Step::complete);

    const Listing listing = pages.take();
    EXPECT_EQ(keys_of(listing), (std::vector<std::string>{"good", "odd"}));
    EXPECT_EQ(listing.entries[0].repaired, "");
    EXPECT_EQ(listing.entries[1].definition, R"({"name":"odd","title":null,"inputSchema":{}})");
    EXPECT_EQ(listing.entries[1].repaired, R"({"name":"odd","inputSchema":{"type":"object"}})");
    EXPECT_EQ(listing.faults.entries, 5U);
    EXPECT_EQ(listing.faults.texts,
              (std::vector<std::string>{
                  R"(tool 2 is not listed: it has no "name")",
                  R"(tool 3 is not listed: it has no "name")",
                  R"(tool "bare" is not listed: "inputSchema" is missing)",
                  R"(tool "odd": "title" is not a string (removed), )"
                  R"("inputSchema.type" is not "object" (added))",
                  R"(tool "good" is listed more than once; the first one counts)"}));
}

TEST(ListPagesTest, LimitsTheReportedFaults) {
    ListPages pages{ListKind::tools, {}};
    std::string tools = "{}";
    for (int index = 1; index < 1'000; ++index) {
        tools += ",{}";
    }

    std::ignore = pages.add(answer_of(R"({"tools":[)" + tools + "]}"));

    const Listing listing = pages.take();
    EXPECT_EQ(listing.faults.entries, 1'000U);
    EXPECT_EQ(listing.faults.texts.size(), EntryFaults::kMaxTexts);
}

TEST(ListPagesTest, KnowsTheKeyOfEachKind) {
    ListPages resources{ListKind::resources, {}};
    ListPages templates{ListKind::templates, {}};

    std::ignore = resources.add(answer_of(R"({"resources":[{"uri":"file:///\u0061"}]})"));
    std::ignore =
        templates.add(answer_of(R"({"resourceTemplates":[{"uriTemplate":"file:///{x}"}]})"));

    EXPECT_EQ(keys_of(resources.take()), (std::vector<std::string>{"file:///a"}));
    EXPECT_EQ(keys_of(templates.take()), (std::vector<std::string>{"file:///{x}"}));
}

TEST(ListPagesTest, UsesTheMostRestrictiveHints) {
    ListPages pages{ListKind::prompts, {}};

    std::ignore = pages.add(
        answer_of(prompts_page("a", R"(,"nextCursor":"x","ttlMs":9000,"cacheScope":"public")")));
    std::ignore =
        pages.add(answer_of(prompts_page("b", R"(,"ttlMs":5000,"cacheScope":"private")")));

    const Listing listing = pages.take();
    EXPECT_EQ(listing.ttl_ms, 5000);
    EXPECT_FALSE(listing.is_public);
}

TEST(ListPagesTest, IsPublicIfAllPagesAre) {
    ListPages pages{ListKind::prompts, {}};

    std::ignore = pages.add(answer_of(R"({"prompts":[ ],"ttlMs":-4,"cacheScope":"public"})"));

    const Listing listing = pages.take();
    EXPECT_TRUE(listing.is_public);
    EXPECT_EQ(listing.ttl_ms, 0);
}

TEST(ListPagesTest, RejectsAnAnswerWithoutAList) {
    EXPECT_EQ((ListPages{ListKind::tools, {}}.add(answer_of("{}"))), Step::malformed);
    EXPECT_EQ((ListPages{ListKind::tools, {}}.add(answer_of(R"({"tools":{}})"))), Step::malformed);
}

}  // namespace
}  // namespace holdfast::downstream
