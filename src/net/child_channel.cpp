#include "net/child_channel.hpp"

#include <tuple>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::net {
namespace {

boost::asio::awaitable<void> without_result(boost::asio::awaitable<NetResult<void>> work) {
    // What resists even SIGKILL is left to the guardian, which goes on trying.
    std::ignore = co_await std::move(work);
}

}  // namespace

ChildChannel::ChildChannel(std::unique_ptr<ChildProcess> child, const StopOptions& stop_options)
    : child_(std::move(child)), stop_options_(stop_options) {
    HOLDFAST_EXPECT(child_ != nullptr);
}

NetResult<void> ChildChannel::try_write(std::string_view json) {
    return child_->try_write(json);
}

NetResult<void> ChildChannel::try_write_urgent(std::string_view json) {
    return child_->try_write_urgent(json);
}

boost::asio::awaitable<NetResult<std::string_view>> ChildChannel::read() {
    return child_->read_line();
}

boost::asio::awaitable<void> ChildChannel::close() {
    return without_result(child_->stop(stop_options_));
}

}  // namespace holdfast::net
