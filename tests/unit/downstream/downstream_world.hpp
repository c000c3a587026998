#pragma once

#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "asio/virtual_loop.hpp"
#include "downstream/downstream.hpp"
#include "downstream_fakes.hpp"

namespace holdfast::downstream::testing {

using resilience::testing::VirtualLoop;

/// Records the events in order.
class RecordingWatcher final : public DownstreamWatcher {
public:
    void on_state(const std::string& /*server*/, const DownstreamStatus& status) override {
        states.push_back(status);
    }
    void on_listed(const std::string& /*server*/, Listing listing) override {
        events.push_back("listed " + std::to_string(static_cast<int>(listing.kind)));
        listings.push_back(std::move(listing));
    }
    void on_list_faults(const std::string& /*server*/, const ListFaults& list) override {
        list_faults.push_back(list_faults_text(list));
    }
    void on_list_problem(const std::string& /*server*/, const ListProblem& problem) override {
        list_problems.push_back(problem);
    }
    void on_notification(const std::string& /*server*/, const std::string& agent_key,
                         Notification notification) override {
        events.push_back(agent_key + "!" + notification.method);
    }
    void on_question(const std::string& /*server*/, const std::string& agent_key,
                     Question question) override {
        events.push_back(agent_key + "?" + question.method);
    }

    std::vector<DownstreamStatus> states;
    std::vector<Listing> listings;
    std::vector<ListProblem> list_problems;
    std::vector<std::string> list_faults;
    std::vector<std::string> events;
};

/// A call and its result.
class Running final {
public:
    Running(net::OwningLoop loop, Downstream& downstream, Request request) {
        boost::asio::co_spawn(
            loop.executor, run(downstream.call(loop, std::move(request), nullptr), results_),
            boost::asio::bind_cancellation_slot(
                signal_->slot(), [signal = signal_](const std::exception_ptr& failure) {
                    EXPECT_TRUE(failure == nullptr);
                }));
    }

    void cancel() { signal_->emit(boost::asio::cancellation_type::terminal); }
    [[nodiscard]] std::size_t endings() const { return results_->size(); }
    [[nodiscard]] bool has_ended() const { return !results_->empty(); }
    [[nodiscard]] bool is_answered() const { return has_ended() && results_->front().has_value(); }
    [[nodiscard]] const CallFault& fault() const { return results_->at(0).error(); }

private:
    using Results = std::shared_ptr<std::vector<CallResult>>;

    static boost::asio::awaitable<void> run(boost::asio::awaitable<CallResult> call,
                                            Results results) {
        results->push_back(co_await std::move(call));
    }

    std::shared_ptr<boost::asio::cancellation_signal> signal_ =
        std::make_shared<boost::asio::cancellation_signal>();
    const Results results_ = std::make_shared<std::vector<CallResult>>();
};

/// A downstream in virtual time, without jitter, with a fake server.
class DownstreamTest : public ::testing::Test {
protected:
    DownstreamTest() {
        options.name = "box";
        options.reconnect.jitter = resilience::Jitter::none;
        server->negotiated.capabilities = "{}";
    }
    // Ends everything that a test left waiting before the loop is destroyed.
    ~DownstreamTest() override {
        downstream.reset();
        loop.settle();
    }

    void make() {
        downstream =
            Downstream::make(home(), std::make_unique<FakeOpener>(server), options, watcher);
    }
    void make_ready() {
        make();
        downstream->start();
        loop.settle();
        ASSERT_EQ(downstream->status().state, LinkState::ready);
    }
    [[nodiscard]] net::OwningLoop home() {
        return {.executor = loop.context.get_executor(), .timekeeper = &loop.timekeeper};
    }
    [[nodiscard]] Running call(std::string agent_key = {},
                               resilience::Duration limit = std::chrono::minutes{1}) {
        Request request;
        request.method = "tools/call";
        if (!agent_key.empty()) {
            request.agent = std::make_shared<const AgentIdentity>(
                AgentIdentity{.key = agent_key,
                              .is_session = true,
                              .capabilities = R"({"of":")" + agent_key + "\"}"});
        }
        request.deadline = resilience::Deadline::after(loop.timekeeper.now(), limit);
        return {home(), *downstream, std::move(request)};
    }
    void refuse_opens(std::string why = "It refused.") {
        server->plan = [why](const LinkPurpose&) {
            return OpenPlan{.fault =
                                CallFault{.kind = CallFault::Kind::not_connected, .message = why}};
        };
    }
    void accept_opens(resilience::Duration takes = {}) {
        server->plan = [takes](const LinkPurpose&) { return OpenPlan{.takes = takes}; };
    }
    void answer_all(FakeLink& link) {
        for (const auto& pending : link.pending()) {
            pending->finish(answer_of("{}"));
        }
        loop.settle();
    }

    VirtualLoop loop;
    std::shared_ptr<FakeServer> server = std::make_shared<FakeServer>();
    std::shared_ptr<RecordingWatcher> watcher = std::make_shared<RecordingWatcher>();
    DownstreamOptions options;
    std::shared_ptr<Downstream> downstream;
};

}  // namespace holdfast::downstream::testing
