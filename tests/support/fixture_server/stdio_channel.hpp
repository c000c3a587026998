#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "net/line_framer.hpp"
#include "net/message_channel.hpp"

namespace holdfast::fixture {

/// Standard input and output as a channel, one line per message.
///
/// Thread-safety: none; belongs to the loop.
class StdioChannel final : public net::MessageChannel {
public:
    explicit StdioChannel(const boost::asio::any_io_executor& loop);

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override;
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override;
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read() override;
    [[nodiscard]] boost::asio::awaitable<void> close() override;

private:
    // A reader that is this far behind has stopped reading.
    static constexpr std::size_t kMaxWaitingBytes = std::size_t{512} * 1024 * 1024;

    /// The bytes that are being written and those that wait. Shared with the running write.
    struct Output {
        explicit Output(const boost::asio::any_io_executor& loop);

        boost::asio::posix::stream_descriptor descriptor;
        std::string writing = {};
        std::string waiting = {};
        bool is_broken = false;
    };
    static void write_next(const std::shared_ptr<Output>& output);

    boost::asio::posix::stream_descriptor input_;
    net::LineFramer framer_;
    std::shared_ptr<Output> output_;
};

}  // namespace holdfast::fixture
