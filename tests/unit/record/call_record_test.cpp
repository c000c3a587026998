#include "record/call_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace holdfast::record {
namespace {

TEST(KeptCallTest, OwnsItsTexts) {
    std::array<std::string, 8> texts{"id",  "ada",    "tool",    "server",
                                     "why", "policy", "circuit", "other"};
    std::array<std::string, 3> attempt_texts{"server", "timeout", "no answer"};
    std::array<AttemptRecord, 2> attempts{{{.server = attempt_texts[0],
                                            .began_us = 1,
                                            .took_us = 2,
                                            .end = attempt_texts[1],
                                            .detail = attempt_texts[2]},
                                           {.server = attempt_texts[0], .began_us = 3}}};
    const CallRecord record{.id = texts[0],
                            .at_ms = 5,
                            .principal = texts[1],
                            .session = 6,
                            .tool = texts[2],
                            .server = texts[3],
                            .route = "by its name",
                            .outcome = "TIMEOUT",
                            .message = texts[4],
                            .policy = texts[5],
                            .circuit = texts[6],
                            .circuit_before = "closed",
                            .substitute = texts[7],
                            .total_us = 7,
                            .attempts = attempts};

    const std::shared_ptr<const CallRecord> copy = kept(record);
    texts.fill("gone");
    attempt_texts.fill("gone");
    attempts.fill({});

    EXPECT_EQ(copy->id, "id");
    EXPECT_EQ(copy->at_ms, 5);
    EXPECT_EQ(copy->principal, "ada");
    EXPECT_EQ(copy->session, 6U);
    EXPECT_EQ(copy->tool, "tool");
    EXPECT_EQ(copy->server, "server");
    EXPECT_EQ(copy->route, "by its name");
    EXPECT_EQ(copy->outcome, "TIMEOUT");
    EXPECT_EQ(copy->message, "why");
    EXPECT_EQ(copy->policy, "policy");
    EXPECT_EQ(copy->circuit, "circuit");
    EXPECT_EQ(copy->circuit_before, "closed");
    EXPECT_EQ(copy->substitute, "other");
    EXPECT_EQ(copy->total_us, 7);
    ASSERT_EQ(copy->attempts.size(), 2U);
    EXPECT_EQ(copy->attempts[0].server, "server");
    EXPECT_EQ(copy->attempts[0].took_us, 2);
    EXPECT_EQ(copy->attempts[0].end, "timeout");
    EXPECT_EQ(copy->attempts[0].detail, "no answer");
    EXPECT_EQ(copy->attempts[1].began_us, 3);
    EXPECT_EQ(copy->attempts[1].end, "answered");
}

TEST(KeptCallTest, NeedsNeitherTextsNorAttempts) {
    const auto copy = kept({});

    EXPECT_EQ(copy->id, "");
    EXPECT_TRUE(copy->attempts.empty());
}

}  // namespace
}  // namespace holdfast::record
