#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <memory>
#include <set>

namespace holdfast::downstream {

/// The coroutines of a link outside of its calls: limited in number, all on one loop, all cancelled
/// when the link ends. The owner must call `end_all` before it releases this object.
///
/// Thread-safety: none; belongs to its loop.
class BackgroundTasks final : public std::enable_shared_from_this<BackgroundTasks> {
public:
    /// Identifies one task.
    using Handle = std::shared_ptr<boost::asio::cancellation_signal>;

    BackgroundTasks(boost::asio::any_io_executor executor, std::size_t max_tasks)
        : executor_(std::move(executor)), max_tasks_(max_tasks) {}

    /// Returns null if too many tasks run, or after `end_all`.
    Handle try_start(boost::asio::awaitable<void> task);
    /// Cancels one task. No effect for null or a task that has ended.
    void end(const Handle& task);
    /// Cancels all tasks; no further task can start.
    void end_all();
    [[nodiscard]] std::size_t count() const noexcept { return running_.size(); }

private:
    const boost::asio::any_io_executor executor_;
    const std::size_t max_tasks_;
    std::set<Handle> running_;
    bool has_ended_ = false;
};

}  // namespace holdfast::downstream
