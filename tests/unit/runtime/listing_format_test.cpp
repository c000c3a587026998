#include "runtime/state/listing_format.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "platform/crypto.hpp"

namespace holdfast::runtime {
namespace {

using downstream::Listing;
using downstream::ListKind;

Listing two_tools() {
    return {.kind = ListKind::tools,
            .entries = {{"echo", R"({"name":"echo","inputSchema":{}})"},
                        {"add", R"({"name":"add", "x":1e400,"inputSchema":{"type":"object"}})"}},
            .ttl_ms = 60'000,
            .is_public = true};
}

/// Appends a valid digest to a text.
std::string with_end(const std::string& lines) {
    return lines + "end " + platform::sha256_text(lines) + "\n";
}

TEST(ListingFormatTest, UsesStandardSha256) {
    EXPECT_EQ(platform::sha256_text("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ListingFormatTest, ReadsBackListsByteForByte) {
    const Listing kept = two_tools();

    const auto read = parse_listing(serialize(kept), ListKind::tools);

    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, ListKind::tools);
    EXPECT_EQ(read->ttl_ms, 60'000);
    EXPECT_TRUE(read->is_public);
    ASSERT_EQ(read->entries.size(), 2U);
    for (std::size_t index = 0; index < 2; ++index) {
        EXPECT_EQ(read->entries[index].key, kept.entries[index].key);
        EXPECT_EQ(read->entries[index].definition, kept.entries[index].definition);
    }
}

TEST(ListingFormatTest, DistinguishesAnEmptyListFromNone) {
    const auto read =
        parse_listing(serialize(Listing{.kind = ListKind::prompts}), ListKind::prompts);

    ASSERT_TRUE(read);
    EXPECT_TRUE(read->entries.empty());
    EXPECT_FALSE(read->is_public);
}

TEST(ListingFormatTest, TurnsLineBreaksOutsideStringsIntoSpaces) {
    const Listing kept{.kind = ListKind::resources,
                       .entries = {{"file:///a", "{\r\n\"uri\":\"a\\nb\"\n}"}}};

    const auto read = parse_listing(serialize(kept), ListKind::resources);

    ASSERT_TRUE(read);
    EXPECT_EQ(read->entries[0].definition, "{  \"uri\":\"a\\nb\" }");
}

TEST(ListingFormatTest, KeepsKeysThatNeedEscapes) {
    const std::string key = "a\"b\\c\nd\te\x01 \xc3\xa4],[";
    const Listing kept{.kind = ListKind::prompts, .entries = {{key, "{}"}}};

    const auto read = parse_listing(serialize(kept), ListKind::prompts);

    ASSERT_TRUE(read);
    EXPECT_EQ(read->entries[0].key, key);
}

TEST(ListingFormatTest, RejectsTruncatedText) {
    const std::string text = serialize(two_tools());

    for (std::size_t size_bytes = 0; size_bytes < text.size(); ++size_bytes) {
        EXPECT_FALSE(parse_listing(text.substr(0, size_bytes), ListKind::tools)) << size_bytes;
    }
}

TEST(ListingFormatTest, RejectsTextWithOneByteChanged) {
    const std::string text = serialize(two_tools());

    for (std::size_t index = 0; index < text.size(); ++index) {
        for (const char other : {'\0', '\n', '0', '\x7f'}) {
            std::string changed = text;
            changed[index] = other;
            if (changed != text) {
                EXPECT_FALSE(parse_listing(changed, ListKind::tools)) << index;
            }
        }
    }
}

TEST(ListingFormatTest, RejectsAListOfAnotherKind) {
    EXPECT_FALSE(parse_listing(serialize(two_tools()), ListKind::prompts));
}

TEST(ListingFormatTest, RejectsForeignTextWithAValidDigest) {
    const std::string head = "holdfast-listing 1 tools 0 private\n";
    ASSERT_TRUE(parse_listing(with_end(head + "[\"a\",{}]\n"), ListKind::tools));
    const std::vector<std::string> foreign{
        "",
        "\n",
        "{}\n",
        "holdfast-listing 2 tools 0 private\n",
        "holdfast-listing 1 tools 0\n",
        "holdfast-listing 1 tools -1 private\n",
        "holdfast-listing 1 tools 99999999999999999999 private\n",
        "holdfast-listing 1 tools 0 secret\n",
        "holdfast-listing 1 tools 0 private more\n",
        head + "\n",
        head + "[]\n",
        head + "[\"a\"]\n",
        head + "[\"a\",{},{}]\n",
        head + "[\"a\",1]\n",
        head + "[1,{}]\n",
        head + "[\"a\",{\"b\":nul}]\n",
        head + "[\"a\",{}],[\n",
        head + "[\"a\",{}]\n[\"a\",{}]\n",
        head + "[\"a\",{}]\nend\n",
        head + "[\"\xff\",{}]\n",
        head + "[\"a\"," + std::string(100'000, '[') + "\n",
    };

    for (const std::string& lines : foreign) {
        EXPECT_FALSE(parse_listing(with_end(lines), ListKind::tools)) << lines.substr(0, 80);
        EXPECT_FALSE(parse_era(with_end(lines))) << lines.substr(0, 80);
    }
}

TEST(ListingFormatTest, ReadsBackAnEra) {
    const auto time = std::chrono::sys_seconds{std::chrono::seconds{1'790'000'000}};

    for (const mcp::Era era : {mcp::Era::legacy, mcp::Era::modern}) {
        const auto read = parse_era(serialize(RememberedEra{.era = era, .learned_at = time}));

        ASSERT_TRUE(read);
        EXPECT_EQ(read->era, era);
        EXPECT_EQ(read->learned_at, time);
    }
}

TEST(ListingFormatTest, RejectsAnInvalidEra) {
    for (const char* const lines :
         {"holdfast-era 2 legacy 1\n", "holdfast-era 1 older 1\n", "holdfast-era 1 legacy\n",
          "holdfast-era 1 legacy 1x\n", "holdfast-era 1 legacy -1\n", "holdfast-era 1 legacy 1\n\n",
          "holdfast-era 1 legacy 9223372036854775807\n"}) {
        EXPECT_FALSE(parse_era(with_end(lines))) << lines;
    }
    EXPECT_TRUE(parse_era(with_end("holdfast-era 1 legacy 1\n")));
    EXPECT_FALSE(parse_era("holdfast-era 1 legacy 1\n"));
}

}  // namespace
}  // namespace holdfast::runtime
