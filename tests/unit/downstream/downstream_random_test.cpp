#include "downstream_world.hpp"
#include "support/seeds.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using resilience::testing::chance;
using resilience::testing::for_each_seed;
using resilience::testing::random_between;
using testing::answer_of;
using testing::FakeLink;
using testing::FakeOpener;
using testing::FakeServer;
using testing::OpenPlan;
using testing::RecordingWatcher;
using testing::Running;
using testing::VirtualLoop;

constexpr const char* kAgentCapabilities = R"({"roots":{}})";

/// Runs random events on a downstream in an order that a seed decides. Two strands of one loop
/// represent the loops of two callers.
class RandomLife final {
public:
    explicit RandomLife(std::mt19937_64& random) : random_(random) {
        server_->negotiated.has_session_id = chance(random_, 0.5);
        server_->negotiated.capabilities = R"({"tools":{"listChanged":true},"logging":{}})";
        server_->plan = [this](const LinkPurpose& purpose) { return plan(purpose); };
        server_->answering = [this](const Request&) -> std::optional<CallResult> {
            return chance(random_, 0.4) ? std::optional<CallResult>{answer_of(R"({"tools":[]})")}
                                        : std::nullopt;
        };
        DownstreamOptions options;
        options.name = "box";
        options.seed = random_();
        options.max_agent_links = 3;
        options.max_waiting_calls = 8;
        options.agent_link_idle = 20s;
        options.reconnect.cap = 4s;
        downstream_ =
            Downstream::make(home(), std::make_unique<FakeOpener>(server_), options, watcher_);
    }

    void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            act();
            check_wait();
        }
        finish();
    }

private:
    net::OwningLoop home() {
        return {.executor = loop_.context.get_executor(), .timekeeper = &loop_.timekeeper};
    }

    OpenPlan plan(const LinkPurpose& purpose) {
        OpenPlan made{.takes = chance(random_, 0.5) ? random_wait() : 0ns,
                      .is_lost_at_once = chance(random_, 0.1)};
        if (chance(random_, 0.3)) {
            made.fault = CallFault{.kind = CallFault::Kind::not_connected, .message = "No."};
        }
        if (purpose.capabilities != kAgentCapabilities) {
            // Only the reconnecting coroutine opens the shared link.
            EXPECT_EQ(downstream_->status().state, LinkState::connecting);
            EXPECT_TRUE(shared_ended_at_ <= loop_.timekeeper.now());
            shared_ended_at_ = loop_.timekeeper.now() + made.takes;
        }
        return made;
    }

    resilience::Duration random_wait() {
        return std::chrono::milliseconds{random_between(random_, 1, 3'000)};
    }
    std::string random_agent() { return std::string(1, random_between('a', 'e')); }
    char random_between(char low, char high) {
        return static_cast<char>(resilience::testing::random_between<int>(random_, low, high));
    }
    static int random_between(std::mt19937_64& random, int low, int high) {
        return resilience::testing::random_between(random, low, high);
    }

    void act() {
        switch (random_between(random_, 0, 9)) {
            case 0:
            case 1:
            case 2:
                calls_.push_back(call());
                break;
            case 3:
                if (!calls_.empty()) {
                    boost::asio::post(loop_.context, [this, index = random_index(calls_.size())] {
                        calls_[index]->cancel();
                    });
                }
                break;
            case 4:
                if (!server_->links.empty()) {
                    server_->links[random_index(server_->links.size())]->lose(
                        chance(random_, 0.5) ? resilience::Delivery::sent
                                             : resilience::Delivery::not_sent);
                }
                break;
            case 5:
                for (const auto& link : server_->links) {
                    for (const auto& pending : link->pending()) {
                        pending->finish(answer_of("{}"));
                    }
                }
                break;
            case 6:
                downstream_->end_agent(random_agent());
                break;
            case 7:
                downstream_->set_subscriptions(random_agent(), {random_agent()});
                downstream_->set_log_level(random_agent(), "info");
                if (!server_->links.empty() && !server_->last().is_over()) {
                    server_->last().tell("notifications/tools/list_changed");
                }
                break;
            default:
                loop_.run_for(random_wait());
                break;
        }
        if (chance(random_, 0.7)) {
            loop_.settle();
        }
    }

    std::size_t random_index(std::size_t size) {
        return resilience::testing::random_between<std::size_t>(random_, 0, size - 1);
    }

    std::unique_ptr<Running> call() {
        Request request;
        request.method = "tools/call";
        request.agent = std::make_shared<const AgentIdentity>(
            AgentIdentity{.key = random_agent(), .capabilities = kAgentCapabilities});
        request.deadline = resilience::Deadline::after(loop_.timekeeper.now(), 3 * random_wait());
        net::OwningLoop caller = home();
        caller.executor = chance(random_, 0.5) ? strands_[0] : strands_[1];
        return std::make_unique<Running>(std::move(caller), *downstream_, std::move(request));
    }

    void check_wait() {
        const DownstreamStatus status = downstream_->status();
        if (status.state == LinkState::waiting) {
            ASSERT_TRUE(status.next_attempt_at.has_value());
            ASSERT_LE(*status.next_attempt_at - loop_.timekeeper.now(), 4s);
        }
    }

    /// Ends in one of three ways; afterwards every call has ended once.
    void finish() {
        bool has_stopped = false;
        const int ending = random_between(random_, 0, 2);
        if (ending == 0) {
            boost::asio::co_spawn(loop_.context, downstream_->stop(),
                                  [&](const std::exception_ptr&) { has_stopped = true; });
        } else if (ending == 1) {
            downstream_.reset();
        }
        loop_.run_for(1min);
        EXPECT_EQ(has_stopped, ending == 0);
        for (const auto& running : calls_) {
            EXPECT_EQ(running->endings(), 1U);
        }
        downstream_.reset();
        loop_.run_for(1min);
        for (const auto& link : server_->links) {
            EXPECT_TRUE(link->is_over());
            EXPECT_LE(link->closes, 1);
        }
        EXPECT_EQ(server_->opening, 0);
    }

    std::mt19937_64& random_;
    VirtualLoop loop_;
    std::array<boost::asio::any_io_executor, 2> strands_{boost::asio::make_strand(loop_.context),
                                                         boost::asio::make_strand(loop_.context)};
    std::shared_ptr<FakeServer> server_ = std::make_shared<FakeServer>();
    std::shared_ptr<RecordingWatcher> watcher_ = std::make_shared<RecordingWatcher>();
    std::shared_ptr<Downstream> downstream_;
    std::vector<std::unique_ptr<Running>> calls_;
    resilience::TimePoint shared_ended_at_ = {};
};

TEST(DownstreamRandomTest, EndsEveryCallExactlyOnce) {
    for_each_seed(300, [](std::mt19937_64& random) { RandomLife{random}.run(150); });
}

}  // namespace
}  // namespace holdfast::downstream
