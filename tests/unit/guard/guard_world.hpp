#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "asio/virtual_loop.hpp"
#include "config/read_config.hpp"
#include "downstream/wire_text.hpp"
#include "guard/guarded_call.hpp"
#include "guard/safeguards.hpp"
#include "policy/read_policy_table.hpp"
#include "support/recording_observer.hpp"

namespace holdfast::guard {

using downstream::CallFault;
using downstream::CallResult;
using resilience::CallEnding;
using resilience::CallVerdict;
using resilience::PipelineStep;
using resilience::StartAttempt;
using namespace std::chrono_literals;

/// An answer as a server sent it.
inline CallResult answer_of(std::string_view body, bool is_error = false) {
    const std::string_view member = is_error ? R"("error":)" : R"("result":)";
    return downstream::read_answer(
        jsonrpc::PaddedText{R"({"jsonrpc":"2.0","id":1,)" + std::string{member} +
                            std::string{body} + "}"},
        mcp::Era::legacy);
}

inline CallResult lost(std::uint64_t connection) {
    return CallFault{.kind = CallFault::Kind::connection_lost,
                     .delivery = resilience::Delivery::sent,
                     .lost_connection = connection};
}

/// Safeguards of a config, in virtual time.
class GuardWorld : public ::testing::Test {
protected:
    void read(const std::string& config) {
        auto outcome = config::read_config(
            "test.json", config, [](std::string_view) { return std::optional<std::string>{}; });
        ASSERT_TRUE(outcome.config.has_value());
        auto policies = policy::read_policy_table(*outcome.config, {});
        ASSERT_TRUE(policies.table.has_value());
        book_.emplace(std::move(*policies.table));
        safeguards_ = std::make_shared<Safeguards>(SafeguardsOptions{}, &observer_);
    }
    /// One server named `box` under that policy.
    void begin(const std::string& policy) {
        read(R"({"mcpServers": {"box": {"url": "http://h/mcp"}}, "policies": {"default": )" +
             policy + "}}");
    }
    [[nodiscard]] std::shared_ptr<ServerGuard> guard(const std::string& server = "box") {
        return safeguards_->guard_of(server, *book_);
    }
    [[nodiscard]] std::unique_ptr<GuardedCall> call(const std::string& tool = "t",
                                                    CallFacts facts = {.is_safe_to_repeat = true},
                                                    const std::string& server = "box") {
        const auto guard = this->guard(server);
        facts.name = facts.name.empty() ? std::string_view{"name"} : facts.name;
        return std::make_unique<GuardedCall>(guard, guard->rules_for_tool(tool, now()), facts,
                                             loop());
    }
    /// A call whose only attempt ends so.
    CallVerdict ended(const CallResult& result, const std::string& tool = "t",
                      const std::string& server = "box") {
        const auto one = call(tool, {.is_safe_to_repeat = true}, server);
        PipelineStep step = one->start();
        if (std::holds_alternative<StartAttempt>(step)) {
            step = one->on_attempt_end(result);
        }
        return std::get<CallVerdict>(step);
    }
    [[nodiscard]] resilience::TimePoint now() const { return virtual_.timekeeper.now(); }
    [[nodiscard]] net::OwningLoop loop() {
        return {.executor = virtual_.context.get_executor(), .timekeeper = &virtual_.timekeeper};
    }

    resilience::testing::VirtualLoop virtual_;
    resilience::testing::RecordingObserver observer_;
    std::optional<policy::PolicyTable> book_;
    std::shared_ptr<Safeguards> safeguards_;
};

}  // namespace holdfast::guard
