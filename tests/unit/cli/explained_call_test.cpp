#include "cli/output/explained_call.hpp"

#include <gtest/gtest.h>

#include "support/golden.hpp"

namespace holdfast::cli {
namespace {

constexpr std::string_view kCall =
    R"({"id":"01J9","at":"2026-01-02T03:04:05.678Z","principal":"anonymous","method":"tools/call",)"
    R"("tool":"code__search","server":"code","route":"the tool belongs to this server",)"
    R"("outcome":"TIMEOUT","message":"No answer within 30 s.","policy":"preset octocode",)"
    R"("policy_values":[{"key":"timeout","value":"60s","source":"preset octocode"},)"
    R"({"key":"circuit","value":"","source":"built-in"},)"
    R"({"key":"circuit.name","value":"github:search","source":"preset octocode"}],)"
    R"("circuit":"github:search","circuit_before":"closed","circuit_after":"open",)"
    R"("substitute":"","queue_ms":0.5,"total_ms":31002,"bytes_in":20,"bytes_out":310,)"
    R"("attempts":[{"server":"code","began_ms":1,"took_ms":1000,"end":"rateLimited","detail":""},)"
    R"({"server":"code","began_ms":2000,"took_ms":29002,"end":"timeout","detail":"No answer."}]})";

TEST(ExplainedCallTest, IsThatOfTheGoldenFile) {
    test::expect_golden("explained_call", shown_call(kCall, LineCut::none));
}

TEST(ExplainedCallTest, HasNoPolicyOfAServerThatIsGone) {
    const std::string shown = shown_call(R"({"id":"1","outcome":"ok"})", LineCut::none);

    EXPECT_EQ(shown.find("POLICY"), std::string::npos) << shown;
}

}  // namespace
}  // namespace holdfast::cli
