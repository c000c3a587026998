#include "support/fixture_server/stdio_channel.hpp"

#include <unistd.h>

#include <utility>
#include <variant>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "net/line_writer.hpp"

namespace holdfast::fixture {

namespace asio = boost::asio;
using net::NetErrc;
using net::NetError;
using net::NetResult;

StdioChannel::Output::Output(const asio::any_io_executor& loop)
    : descriptor(loop, ::dup(STDOUT_FILENO)) {}

StdioChannel::StdioChannel(const asio::any_io_executor& loop)
    : input_(loop, ::dup(STDIN_FILENO)),
      framer_(net::LineFramerOptions{}),
      output_(std::make_shared<Output>(loop)) {}

NetResult<void> StdioChannel::try_write(std::string_view json) {
    if (output_->is_broken) {
        return NetError{.code = NetErrc::closed, .message = "standard output is closed"};
    }
    if (output_->waiting.size() + json.size() > kMaxWaitingBytes) {
        return NetError{.code = NetErrc::overloaded, .message = "nobody reads standard output"};
    }
    if (auto appended = net::append_line(output_->waiting, json); !appended) {
        return appended;
    }
    if (output_->writing.empty()) {
        write_next(output_);
    }
    return {};
}

NetResult<void> StdioChannel::try_write_urgent(std::string_view json) {
    return try_write(json);
}

void StdioChannel::write_next(const std::shared_ptr<Output>& output) {
    // All queued messages are sent in one write.
    output->writing = std::exchange(output->waiting, {});
    asio::async_write(output->descriptor, asio::buffer(output->writing),
                      [output](const boost::system::error_code& error, std::size_t) {
                          output->writing.clear();
                          output->is_broken = static_cast<bool>(error);
                          if (!output->is_broken && !output->waiting.empty()) {
                              write_next(output);
                          }
                      });
}

asio::awaitable<NetResult<std::string_view>> StdioChannel::read() {
    constexpr std::size_t kReadBytes = 65'536;
    while (true) {
        const net::LineStep step = framer_.next();
        if (const auto* line = std::get_if<net::LineMessage>(&step)) {
            co_return line->text;
        }
        if (std::holds_alternative<net::LineTooLong>(step)) {
            co_return NetError{.code = NetErrc::message_too_long, .message = "too long"};
        }
        const auto room = framer_.prepare(kReadBytes);
        const auto [error, count] = co_await input_.async_read_some(
            asio::buffer(room.data(), room.size()), asio::as_tuple(asio::use_awaitable));
        if (error) {
            co_return NetError{.code = NetErrc::closed, .message = "standard input has ended"};
        }
        framer_.commit(count);
    }
}

asio::awaitable<void> StdioChannel::close() {
    input_.close();
    co_return;
}

}  // namespace holdfast::fixture
