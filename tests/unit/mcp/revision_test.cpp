#include "mcp/revision.hpp"

#include <gtest/gtest.h>

namespace holdfast::mcp {
namespace {

TEST(RevisionTest, NamesAndTextsAgree) {
    for (const char* text :
         {"2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}) {
        const auto revision = revision_from_text(text);
        ASSERT_TRUE(revision.has_value()) << text;
        EXPECT_EQ(text_of(*revision), text);
    }
    EXPECT_EQ(revision_from_text("2027-01-01"), std::nullopt);
    EXPECT_EQ(revision_from_text(""), std::nullopt);
}

TEST(RevisionTest, OnlyTheLastIsModern) {
    EXPECT_EQ(era_of(Revision::v2024_10_07), Era::legacy);
    EXPECT_EQ(era_of(Revision::v2025_11_25), Era::legacy);
    EXPECT_EQ(era_of(Revision::v2026_07_28), Era::modern);
}

TEST(RevisionTest, HandshakeSelectsARequestedOrTheNewestLegacyRevision) {
    EXPECT_EQ(text_of(negotiated("2024-11-05")), "2024-11-05");
    EXPECT_EQ(text_of(negotiated("2025-06-18")), "2025-06-18");
    EXPECT_EQ(text_of(negotiated("2030-01-01")), "2025-11-25");
    EXPECT_EQ(text_of(negotiated("2026-07-28")), "2025-11-25") << "never by a handshake";
    EXPECT_EQ(text_of(negotiated("")), "2025-11-25");
}

TEST(RevisionTest, FeaturesBelongToTheirRevisions) {
    EXPECT_TRUE(allows_batches(Revision::v2025_03_26));
    EXPECT_FALSE(allows_batches(Revision::v2025_06_18));
    EXPECT_FALSE(allows_batches(Revision::v2024_11_05));
    EXPECT_FALSE(has_version_header(Revision::v2025_03_26));
    EXPECT_TRUE(has_version_header(Revision::v2025_06_18));
    EXPECT_TRUE(has_priming_events(Revision::v2025_11_25));
    EXPECT_FALSE(has_priming_events(Revision::v2025_06_18));
    EXPECT_FALSE(has_priming_events(Revision::v2026_07_28));
    EXPECT_FALSE(has_url_elicitation(Revision::v2025_06_18));
    EXPECT_TRUE(has_url_elicitation(Revision::v2025_11_25));
}

}  // namespace
}  // namespace holdfast::mcp
