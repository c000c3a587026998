#include "guard/attempt_outcome.hpp"

#include <string>
#include <string_view>

#include "guard_world.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::guard {
namespace {

using policy::AnswerKind;
using policy::ErrorClassId;

/// An ending with the memory that it points into.
struct Look {
    std::string text = {};
    policy::Ending ending = {};

    Look(const CallResult& result, const policy::Policy& policy)
        : ending(ending_of(result, policy, text)) {}
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    ~Look() = default;
};

policy::Policy classifying_policy() {
    policy::Policy policy;
    policy.classifies_results = true;
    return policy;
}

int status_of_result(const std::string& members) {
    const CallResult result = answer_of("{" + members + R"(,"isError":true})");
    return Look{result, classifying_policy()}.ending.http_status;
}

std::string text_block(std::string_view text) {
    return R"({"type":"text","text":)" + jsonrpc::quoted_text(text) + "}";
}

int status_of_text(std::string_view text) {
    return status_of_result(R"("content":[)" + text_block(text) + "]");
}

TEST(AttemptLookTest, LooksIntoResultsOnlyIfThePolicyWantsIt) {
    const CallResult result = answer_of(R"({"content":[{"text":"rate limit"}],"isError":true})");

    const Look plain{result, policy::Policy{}};
    EXPECT_EQ(plain.ending.kind, AnswerKind::result);
    EXPECT_EQ(plain.ending.text, "");
    const Look classified{result, classifying_policy()};
    EXPECT_EQ(classified.ending.kind, AnswerKind::error_result);
    EXPECT_EQ(classified.ending.text, "rate limit");
}

TEST(AttemptLookTest, DecodesTheTextOfAllBlocks) {
    const CallResult result =
        answer_of(R"({"content":[{"type":"text","text":"a\nECONNREFUSED"},)"
                  R"({"type":"image","data":"aGk=","mimeType":"image/png"},)"
                  R"({"type":"resource","resource":{"uri":"x:y","text":"\tEBUSY"}},)"
                  R"({"type":"text","text":"\u0065nd"}],"isError":true})");

    EXPECT_EQ(Look(result, classifying_policy()).ending.text, "a\nECONNREFUSED\n\tEBUSY\nend");
}

TEST(AttemptLookTest, LooksAtTheFirst64KilobytesOfTheDecodedText) {
    constexpr std::size_t kLimit = 65'536;
    // Two bytes each as written, one decoded.
    std::string lines(kLimit - 5, '\n');
    const auto text_with = [&](std::string_view words) {
        const CallResult result =
            answer_of(R"({"content":[)" + text_block(lines + std::string{words}) + "," +
                      text_block("more") + R"(],"isError":true})");
        return std::string{Look(result, classifying_policy()).ending.text};
    };

    EXPECT_EQ(text_with("EBUSY: locked").substr(kLimit - 5), "EBUSY");
    EXPECT_EQ(text_with("").size(), kLimit);
    EXPECT_TRUE(text_with("").ends_with("\nmore"));
}

TEST(AttemptLookTest, FindsAStatusInTheFieldsOfJson) {
    for (const std::string fields :
         {R"({"status":503})", R"({"statusCode":"503"})", R"({"code":503})",
          R"({"error":{"status":503}})", R"({"status":"error","code":503})",
          R"({"status":"\u0035\u0030\u0033"})"}) {
        EXPECT_EQ(status_of_result(R"("content":[],"structuredContent":)" + fields), 503) << fields;
        EXPECT_EQ(status_of_text(fields), 503) << fields;
        EXPECT_EQ(status_of_text("\n " + fields + "\n"), 503) << fields;
    }
}

TEST(AttemptLookTest, TakesNothingElseInThoseFieldsForAStatus) {
    for (const std::string fields :
         {R"({"status":200})", R"({"status":"503 Service Unavailable"})", R"({"status":"4290"})",
          R"({"status":600})", R"({"status":503.5})", R"({"status":-503})", R"({"status":[503]})",
          R"({"status":{"code":503}})", R"({"code":"E503"})", R"({"error":503})",
          R"({"error":{"code":503}})", R"({"results":[{"status":503}]})"}) {
        EXPECT_EQ(status_of_result(R"("content":[],"structuredContent":)" + fields), 0) << fields;
        EXPECT_EQ(status_of_text(fields), 0) << fields;
    }
}

TEST(AttemptLookTest, FindsAStatusInWords) {
    EXPECT_EQ(status_of_text("error: oops (HTTP 429)"), 429);
    EXPECT_EQ(status_of_text("data:\n  error:\n    status: 404\n"), 404);
    EXPECT_EQ(status_of_text(R"({"error":"Request failed with status code 502"})"), 502);
    EXPECT_EQ(status_of_text(R"(request failed: {"status":503})"), 503);
    EXPECT_EQ(status_of_text(R"({"status":503)"), 503) << "JSON that is cut";
}

TEST(AttemptLookTest, TheFirstStatusCountsAndStructuredContentComesBeforeTheBlocks) {
    const std::string blocks = R"("content":[)" + text_block("no status here") + "," +
                               text_block(R"({"status":404})") + "," + text_block("HTTP 503") + "]";

    EXPECT_EQ(status_of_result(blocks), 404);
    EXPECT_EQ(status_of_result(blocks + R"(,"structuredContent":{"status":"none"})"), 404);
    EXPECT_EQ(status_of_result(blocks + R"(,"structuredContent":{"status":429})"), 429);
}

TEST(AttemptLookTest, SurvivesContentOfAnyShape) {
    for (const std::string members :
         {R"("content":{})", R"("content":"HTTP 503")", R"("content":[1,null,[],{"text":7}])",
          R"("content":[{"type":"resource","resource":3}])", R"("structuredContent":[503])",
          R"("structuredContent":"503")", R"("other":1)"}) {
        EXPECT_EQ(status_of_result(members), 0) << members;
    }
}

TEST(AttemptLookTest, DecodesJsonRpcErrors) {
    const CallResult named =
        answer_of(R"({"code":-32000,"message":"a\tEBUSY","data":{"status":503}})", true);
    const Look look{named, classifying_policy()};

    EXPECT_EQ(look.ending.kind, AnswerKind::rpc_error);
    EXPECT_EQ(look.ending.rpc_code, -32000);
    EXPECT_EQ(look.ending.text, "a\tEBUSY\n{\"status\":503}");
    EXPECT_EQ(look.ending.http_status, 503);
    EXPECT_EQ(Look(named, policy::Policy{}).ending.http_status, 0)
        << "a policy that does not classify results takes only the transport's status";
}

TEST(AttemptLookTest, HasAClassForEveryFaultButAStatus) {
    const auto class_of = [](CallFault::Kind kind) {
        return Look(CallFault{.kind = kind}, policy::Policy{}).ending.fault;
    };
    using Kind = CallFault::Kind;

    EXPECT_EQ(class_of(Kind::not_connected), ErrorClassId::not_connected);
    EXPECT_EQ(class_of(Kind::unreachable), ErrorClassId::connection_refused);
    EXPECT_EQ(class_of(Kind::connection_lost), ErrorClassId::connection_lost);
    EXPECT_EQ(class_of(Kind::timed_out), ErrorClassId::timeout);
    EXPECT_EQ(class_of(Kind::cancelled), ErrorClassId::cancelled);
    EXPECT_EQ(class_of(Kind::malformed), ErrorClassId::malformed);
    EXPECT_EQ(class_of(Kind::overloaded), ErrorClassId::overloaded);
    EXPECT_EQ(class_of(Kind::too_large), ErrorClassId::too_large);
    EXPECT_EQ(class_of(Kind::stopping), ErrorClassId::stopping);
    for (const Kind kind : {Kind::http_status, Kind::unauthorized, Kind::rate_limited}) {
        EXPECT_EQ(class_of(kind), std::nullopt);
        EXPECT_EQ(Look(CallFault{.kind = kind}, policy::Policy{}).ending.kind,
                  AnswerKind::http_error);
    }
}

TEST(AttemptLookTest, TakesACredentialThatIsMissingForOneThatWasRefused) {
    const CallResult missing = CallFault{.kind = CallFault::Kind::unauthorized};

    EXPECT_EQ(Look(missing, policy::Policy{}).ending.http_status, 401);
}

TEST(AttemptLookTest, KeepsWhatTheServerSaid) {
    const CallResult fault = CallFault{.kind = CallFault::Kind::rate_limited,
                                       .message = "Slow down",
                                       .delivery = resilience::Delivery::answered,
                                       .http_status = 429,
                                       .retry_after = 3s};

    const Look look{fault, policy::Policy{}};
    const policy::Ending& ending = look.ending;

    EXPECT_EQ(ending.http_status, 429);
    EXPECT_EQ(ending.text, "Slow down");
    EXPECT_EQ(ending.retry_after, 3s);
    EXPECT_EQ(ending.delivery, resilience::Delivery::answered);
}

}  // namespace
}  // namespace holdfast::guard
