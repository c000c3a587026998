#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "asio/virtual_loop.hpp"
#include "guard/guarded_call.hpp"
#include "guard/safeguards.hpp"
#include "tests/unit/policy/table_reading.hpp"

// Idle circuits, by the figures of the preset `octocode`: a sweep every 15 minutes takes those that
// are closed, have no call in flight, and were not touched for an hour.

namespace holdfast::guard {
namespace {

using namespace std::chrono_literals;
using resilience::CircuitState;

class OctocodeSweepTest : public testing::Test {
protected:
    OctocodeSweepTest() {
        guard_->sweep_if_due(now());  // from now on it is time every 15 minutes
    }

    [[nodiscard]] resilience::TimePoint now() const { return loop_.timekeeper.now(); }
    void pass(resilience::Duration time) { loop_.timekeeper.advance_to(now() + time); }
    [[nodiscard]] std::size_t sweep() { return guard_->sweep_if_due(now()); }

    [[nodiscard]] std::unique_ptr<GuardedCall> started() {
        auto call = std::make_unique<GuardedCall>(
            guard_, guard_->rules_for_tool(kTool, now()), CallFacts{.name = kTool},
            net::OwningLoop{loop_.context.get_executor(), &loop_.timekeeper});
        const auto step = call->start();
        is_refused_ = std::holds_alternative<resilience::CallVerdict>(step);
        return call;
    }
    void fail() {
        const auto call = started();
        if (!is_refused_) {
            std::ignore = call->on_attempt_end(
                downstream::CallFault{.kind = downstream::CallFault::Kind::http_status,
                                      .delivery = resilience::Delivery::answered,
                                      .http_status = 503});
        }
    }
    [[nodiscard]] CircuitView circuit() const {
        for (CircuitView& view : safeguards_->circuits(now())) {
            if (view.name == "s/github:search") {
                return std::move(view);
            }
        }
        return {};
    }

    static constexpr std::string_view kTool = "githubSearchCode";
    resilience::testing::VirtualLoop loop_;
    const policy::PolicyTable book_ = policy::table_with_preset("octocode");
    std::shared_ptr<Safeguards> safeguards_ = std::make_shared<Safeguards>(
        SafeguardsOptions{.sweep_every = book_.sweep().every,
                          .sweep_idle_after = book_.sweep().idle_after},
        nullptr);
    std::shared_ptr<ServerGuard> guard_ = safeguards_->guard_of("s", book_);
    bool is_refused_ = false;
};

TEST_F(OctocodeSweepTest, TakesWhatWasNotTouchedForAnHour) {
    fail();

    pass(59min);
    EXPECT_EQ(sweep(), 0U);
    EXPECT_EQ(circuit().status.consecutive_failures, 1U);
    pass(14min);
    EXPECT_EQ(sweep(), 0U) << "it is not time";
    pass(1min);
    EXPECT_EQ(sweep(), 1U);
    EXPECT_EQ(circuit().status.consecutive_failures, 0U);
    pass(2h);
    EXPECT_EQ(sweep(), 0U) << "it is swept already";
}

TEST_F(OctocodeSweepTest, ACircuitThatIsUsedAgainHasItsOwnFigures) {
    fail();
    pass(2h);
    ASSERT_EQ(sweep(), 1U);

    // Two failures open it, for a minute; the default is three, for half a minute.
    fail();
    fail();
    fail();
    EXPECT_TRUE(is_refused_);
    EXPECT_EQ(circuit().status.state, CircuitState::open);
    pass(59s);
    fail();
    EXPECT_TRUE(is_refused_);
    pass(1s);
    fail();
    EXPECT_FALSE(is_refused_);
}

TEST_F(OctocodeSweepTest, LeavesACallInFlightAndACircuitThatIsOpen) {
    auto call = started();
    pass(2h);
    EXPECT_EQ(sweep(), 0U);
    call.reset();
    fail();
    fail();

    pass(30s);
    EXPECT_EQ(circuit().status.state, CircuitState::open);
    EXPECT_EQ(sweep(), 0U);
}

}  // namespace
}  // namespace holdfast::guard
