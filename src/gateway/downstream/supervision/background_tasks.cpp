#include "downstream/supervision/background_tasks.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

namespace holdfast::downstream {

namespace asio = boost::asio;

BackgroundTasks::Handle BackgroundTasks::try_start(asio::awaitable<void> task) {
    if (has_ended_ || running_.size() >= max_tasks_) {
        return nullptr;
    }
    auto handle = std::make_shared<asio::cancellation_signal>();
    running_.insert(handle);
    // A task throws only if it was cancelled between two waits, where Asio has no other way to
    // report it; the project's own code does not throw.
    const auto forget = [self = shared_from_this(), handle](const std::exception_ptr& /*unused*/) {
        self->running_.erase(handle);
    };
    asio::co_spawn(executor_, std::move(task),
                   asio::bind_cancellation_slot(handle->slot(), forget));
    return handle;
}

void BackgroundTasks::end(const Handle& task) {
    if (running_.contains(task)) {
        task->emit(asio::cancellation_type::terminal);
    }
}

void BackgroundTasks::end_all() {
    has_ended_ = true;
    // A copy, because a task that ends at once removes itself.
    const auto running = running_;
    for (const Handle& task : running) {
        end(task);
    }
}

}  // namespace holdfast::downstream
