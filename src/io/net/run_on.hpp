#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/loop.hpp"

namespace holdfast::net {

/// Runs the work on that loop: immediately if called on it, otherwise posted.
template <class Work>
void run_on(const net::OwningLoop& loop, Work&& work) {
    using Executor = boost::asio::io_context::executor_type;
    const auto* executor = loop.executor.template target<Executor>();
    if (executor != nullptr && executor->running_in_this_thread()) {
        std::forward<Work>(work)();
    } else {
        boost::asio::post(loop.executor, std::forward<Work>(work));
    }
}

}  // namespace holdfast::net
