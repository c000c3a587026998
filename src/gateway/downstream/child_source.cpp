#include "downstream/child_source.hpp"

#include <memory>
#include <utility>

#include "process/child_process.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using resilience::Deadline;
using Channel = std::unique_ptr<net::MessageChannel>;

asio::awaitable<net::NetResult<Channel>> launch(const process::Guardian* guardian,
                                                std::shared_ptr<const ChildSourceOptions> options,
                                                net::OwningLoop loop, Deadline deadline) {
    auto child =
        process::ChildProcess::launch(std::move(loop), *guardian, options->spec, options->child);
    if (!child) {
        co_return child.error();
    }
    const auto started = co_await (*child)->wait_started(deadline);
    if (!started) {
        net::NetError error = started.error();
        error.message =
            process::program_text(options->spec) + " could not be started: " + error.message;
        co_return error;
    }
    co_return Channel{std::move(*child)};
}

}  // namespace

ChannelSource make_child_source(const process::Guardian& guardian, ChildSourceOptions options) {
    auto kept = std::make_shared<const ChildSourceOptions>(std::move(options));
    return [guardian = &guardian, kept = std::move(kept)](net::OwningLoop loop, Deadline deadline) {
        return launch(guardian, kept, std::move(loop), deadline);
    };
}

}  // namespace holdfast::downstream
