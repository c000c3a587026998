#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/resilience/asio/loop_timekeeper.hpp"
#include "process/child_process.hpp"
#include "process/guardian.hpp"
#include "support/process_watch.hpp"

namespace holdfast::process {

using namespace std::chrono_literals;

template <class T>
boost::asio::awaitable<void> keep_result(boost::asio::awaitable<T> work, std::optional<T>* kept) {
    kept->emplace(co_await std::move(work));
}

/// A guardian, a loop and real time. After each test no process of a child may be left.
class GuardedChildTest : public ::testing::Test {
public:
    ~GuardedChildTest() override {
        const pid_t guardian = guardian_->pid();
        child_.reset();
        EXPECT_TRUE(test::eventually([guardian] { return test::descendants_of(guardian).empty(); }))
            << "a process was left after its child was dropped";
        guardian_.reset();
        EXPECT_TRUE(test::eventually(test::has_no_descendant));
    }

protected:
    GuardedChildTest() : guardian_(start_guardian()), timekeeper_(context_.get_executor()) {}

    static ChildSpec troubled(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), test::program_next_to_test("troubled_child"));
        return {.arguments = std::move(arguments), .environment = {"PATH=/usr/bin:/bin"}};
    }

    /// Starts a child and waits for its "ready".
    ChildProcess& start(std::vector<std::string> arguments, const ChildOptions& options = {}) {
        return start(troubled(std::move(arguments)), options);
    }
    ChildProcess& start(const ChildSpec& spec, const ChildOptions& options = {}) {
        launch(spec, options);
        EXPECT_EQ(read(), "ready");
        return *child_;
    }
    ChildProcess& launch(const ChildSpec& spec, const ChildOptions& options = {}) {
        auto launched = ChildProcess::launch(loop(), *guardian_, spec, options);
        if (!launched) {
            ADD_FAILURE() << launched.error().message;
        }
        child_ = std::move(*launched);
        return *child_;
    }

    /// Runs the loop until the work is done.
    template <class T>
    T run(boost::asio::awaitable<T> work) {
        std::optional<T> kept;
        bool is_done = false;
        boost::asio::co_spawn(context_, keep_result(std::move(work), &kept),
                              [&is_done](const std::exception_ptr&) { is_done = true; });
        run_until([&is_done] { return is_done; });
        return std::move(kept.value());
    }

    template <class Condition>
    void run_until(Condition condition) {
        context_.restart();
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!condition() && std::chrono::steady_clock::now() < end) {
            context_.run_one_for(100ms);
            context_.restart();
        }
        EXPECT_TRUE(condition());
    }

    /// Returns the next line, or the message of the error.
    std::string read() {
        const auto line = run(child_->read());
        return line ? std::string{*line} : line.error().message;
    }

    [[nodiscard]] resilience::Deadline soon() const {
        return resilience::Deadline::after(timekeeper_.now(), 20s);
    }
    [[nodiscard]] net::OwningLoop loop() { return {context_.get_executor(), &timekeeper_}; }

    std::optional<Guardian> guardian_;  // constructed before the loop
    boost::asio::io_context context_{1};
    resilience::LoopTimekeeper timekeeper_;
    std::unique_ptr<ChildProcess> child_;

private:
    static std::optional<Guardian> start_guardian() {
        auto guardian = Guardian::start();
        return std::optional<Guardian>{std::move(*guardian)};
    }
};

}  // namespace holdfast::process
