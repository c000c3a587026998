#include "process/child_channel.hpp"

#include <tuple>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::process {
namespace {

boost::asio::awaitable<void> without_result(boost::asio::awaitable<net::NetResult<void>> work) {
    // The guardian keeps trying to end a process that survives SIGKILL.
    std::ignore = co_await std::move(work);
}

}  // namespace

ChildChannel::ChildChannel(std::unique_ptr<ChildProcess> child, const StopOptions& stop_options)
    : child_(std::move(child)), stop_options_(stop_options) {
    HOLDFAST_EXPECT(child_ != nullptr);
}

net::NetResult<void> ChildChannel::try_write(std::string_view json) {
    return child_->try_write(json);
}

net::NetResult<void> ChildChannel::try_write_urgent(std::string_view json) {
    return child_->try_write_urgent(json);
}

boost::asio::awaitable<net::NetResult<std::string_view>> ChildChannel::read() {
    return child_->read_line();
}

boost::asio::awaitable<void> ChildChannel::close() {
    return without_result(child_->stop(stop_options_));
}

}  // namespace holdfast::process
