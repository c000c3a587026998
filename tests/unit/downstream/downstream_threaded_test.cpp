#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <thread>

#include "downstream/downstream.hpp"
#include "downstream_fakes.hpp"
#include "holdfast/resilience/asio/loop_timekeeper.hpp"

namespace holdfast::downstream {
namespace {

using namespace std::chrono_literals;
using testing::answer_of;
using testing::FakeLink;
using testing::FakeOpener;
using testing::FakeServer;

constexpr int kCallsPerLoop = 400;
constexpr std::size_t kLostLinks = 20;

struct Loop {
    boost::asio::io_context context{1};
    resilience::LoopTimekeeper timekeeper{context.get_executor()};

    [[nodiscard]] net::OwningLoop owning() {
        return {.executor = context.get_executor(), .timekeeper = &timekeeper};
    }
};

class CalmWatcher final : public DownstreamWatcher {
public:
    void on_state(const std::string& /*server*/, const DownstreamStatus& /*status*/) override {}
    void on_listed(const std::string& /*server*/, Listing /*listing*/) override {}
    void on_list_problem(const std::string& /*server*/, const ListProblem& /*problem*/) override {}
    void on_notification(const std::string& /*server*/, const std::string& /*agent_key*/,
                         Notification /*notification*/) override {}
    void on_question(const std::string& /*server*/, const std::string& /*agent_key*/,
                     Question /*question*/) override {}
};

/// What the three loops know of each other.
struct Progress {
    std::atomic<int> calls{0};
    std::atomic<std::size_t> lost_links{0};
    std::atomic<std::size_t> finished_loops{0};
};

/// Calls until enough links were lost meanwhile: a busy machine may run one loop long before
/// the other.
boost::asio::awaitable<void> call_often(std::shared_ptr<Downstream> downstream,
                                        net::OwningLoop loop, Progress& progress) {
    for (int round = 0; round < kCallsPerLoop || progress.lost_links < kLostLinks; ++round) {
        Request request;
        request.method = "tools/call";
        request.agent =
            std::make_shared<const AgentIdentity>(AgentIdentity{.key = std::to_string(round % 5)});
        request.deadline = resilience::Deadline::after(loop.timekeeper->now(), 20s);
        std::ignore = co_await downstream->call(loop, std::move(request), nullptr);
        std::ignore = downstream->status();
        ++progress.calls;
    }
    ++progress.finished_loops;
}

/// Ends links during calls until all calls have been made.
boost::asio::awaitable<void> break_often(std::shared_ptr<Downstream> downstream, Loop& home,
                                         std::shared_ptr<FakeServer> server, Progress& progress,
                                         std::size_t loops) {
    while (progress.finished_loops < loops) {
        resilience::OneShot pause{home.timekeeper};
        co_await pause.wait_until(home.timekeeper.now() + 200us);
        const auto live =
            std::ranges::find_if(server->links, [](const auto& link) { return !link->is_over(); });
        if (live != server->links.end()) {
            (*live)->lose(resilience::Delivery::not_sent);
            ++progress.lost_links;
        }
        downstream->end_agent("3");
    }
    co_await downstream->stop();
}

void run_with_session_ids(bool has_session_id) {
    Loop home;
    std::array<Loop, 2> callers;
    std::array<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>, 3> work{
        boost::asio::make_work_guard(home.context),
        boost::asio::make_work_guard(callers[0].context),
        boost::asio::make_work_guard(callers[1].context)};
    const auto server = std::make_shared<FakeServer>();
    server->negotiated.has_session_id = has_session_id;
    server->negotiated.capabilities = R"({"tools":{}})";
    server->answering = [](const Request& request) -> std::optional<CallResult> {
        return answer_of(request.method == "tools/list" ? R"({"tools":[]})" : "{}");
    };
    const auto watcher = std::make_shared<CalmWatcher>();
    DownstreamOptions options;
    options.name = "box";
    options.reconnect = {.base = 100us, .cap = 200us};
    auto downstream =
        Downstream::make(home.owning(), std::make_unique<FakeOpener>(server), options, watcher);
    Progress progress;
    for (Loop& loop : callers) {
        boost::asio::co_spawn(
            loop.context, call_often(downstream, loop.owning(), progress),
            [](const std::exception_ptr& failure) { EXPECT_TRUE(failure == nullptr); });
    }
    boost::asio::co_spawn(home.context,
                          break_often(downstream, home, server, progress, callers.size()),
                          [&](const std::exception_ptr& failure) {
                              EXPECT_TRUE(failure == nullptr);
                              for (auto& guard : work) {
                                  guard.reset();
                              }
                          });
    downstream.reset();

    {
        std::jthread first{[&] { callers[0].context.run(); }};
        std::jthread second{[&] { callers[1].context.run(); }};
        home.context.run();
    }

    EXPECT_GE(progress.calls, 2 * kCallsPerLoop);
    EXPECT_GE(server->links.size(), kLostLinks);
    for (const auto& link : server->links) {
        EXPECT_TRUE(link->is_over());
    }
}

TEST(DownstreamThreadedTest, ServesTwoLoopsOverASharedLinkThatBreaks) {
    run_with_session_ids(false);
}

TEST(DownstreamThreadedTest, ServesTwoLoopsOverSessionsThatBreak) {
    run_with_session_ids(true);
}

}  // namespace
}  // namespace holdfast::downstream
