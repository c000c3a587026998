#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <vector>

#include "downstream/link.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// Closes a link in the background. The link observes its own limits.
void close_in_background(const boost::asio::any_io_executor& home, std::shared_ptr<Link> link,
                         const CallFault& why);

/// Counts the links that must close before a downstream has stopped.
///
/// Thread-safety: none; belongs to the home loop.
class Countdown final {
public:
    explicit Countdown(resilience::Timekeeper& timekeeper) : all_done_(timekeeper) {}

    void add() { ++left_; }
    void on_done() {
        if (--left_ == 0) {
            all_done_.signal();
        }
    }
    /// Waits until all have ended, or until this time. Call once.
    [[nodiscard]] boost::asio::awaitable<void> wait_until(resilience::TimePoint when);

private:
    std::size_t left_ = 0;
    resilience::OneShot all_done_;
};

/// Closes links concurrently; each is counted.
void close_counted(const boost::asio::any_io_executor& home,
                   std::vector<std::shared_ptr<Link>> links, const CallFault& why,
                   const std::shared_ptr<Countdown>& countdown);

}  // namespace holdfast::downstream
