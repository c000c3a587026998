#include "support/fixture_server/channel_serving.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/message_writer.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::fixture {
namespace {

/// Sends all messages to the channel. It outlives the channel if a call does.
class ChannelOutlet final : public Outlet {
public:
    ChannelOutlet(FixtureServer& server, std::weak_ptr<net::MessageChannel> channel)
        : server_(server), channel_(std::move(channel)) {}

    void send(std::string_view message) override { write(message); }
    void finish(std::string_view message, int) override { write(message); }
    void abandon() override {}
    void send_junk() override { write(kJunk); }

private:
    void write(std::string_view message) {
        const auto channel = channel_.lock();
        if (!channel) {
            return;
        }
        if (const auto written = channel->try_write(message); !written) {
            server_.options().print_line("fixture: dropped a message: " + written.error().message);
        }
    }

    FixtureServer& server_;
    std::weak_ptr<net::MessageChannel> channel_;
};

}  // namespace

boost::asio::awaitable<void> serve_channel(FixtureServer* server,
                                           std::shared_ptr<net::MessageChannel> channel,
                                           std::string authorization) {
    const auto session = std::make_shared<Session>();
    session->authorization = std::move(authorization);
    const auto outlet = std::make_shared<ChannelOutlet>(*server, channel);
    session->unrelated = outlet;
    jsonrpc::MessageReader reader;
    std::optional<mcp::Era> era;
    while (true) {
        const auto line = co_await channel->read();
        if (!line) {
            if (line.error().code == net::NetErrc::message_too_long) {
                continue;
            }
            break;
        }
        const jsonrpc::PaddedText text{std::string{*line}};
        const auto message = reader.read(text);
        if (message) {
            server->serve(era, {.message = *message, .session = session, .outlet = outlet});
        } else {
            const jsonrpc::ReadFault& fault = message.error();
            outlet->send(jsonrpc::error_text(fault.id, {fault.code, fault.message, {}}));
        }
    }
    session->cancel_all();
}

}  // namespace holdfast::fixture
