#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/link.hpp"
#include "downstream/link_opener.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "net/message_channel.hpp"

namespace holdfast::downstream {

class StreamCore;

struct StreamLinkOptions {
    LinkOptions link = {};
    std::size_t max_questions = 64;  ///< Unanswered questions of the downstream.
};

/// Counters of messages that belong to no call.
struct StreamLinkCounters {
    std::uint64_t junk_messages = 0;       ///< Not JSON-RPC; skipped.
    std::uint64_t oversized_messages = 0;  ///< Over the channel's limit.
};

/// A channel that knows its peer's process and the process's log.
class LoggedChannel : public net::MessageChannel {
public:
    [[nodiscard]] virtual std::optional<LinkProcess> process() const = 0;
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t count) const = 0;
};

/// A link over a channel of whole messages that all calls share; ids match answers to calls.
///
/// A message of a legacy downstream that names no call is assumed to be about the one agent with
/// calls in flight. Without calls it belongs to the link. With calls of several agents no agent can
/// be chosen, and questions are refused.
///
/// Thread-safety: as `Link`; made and destroyed on the home loop.
class StreamLink final : public Link {
public:
    StreamLink(const net::OwningLoop& home, std::unique_ptr<net::MessageChannel> channel,
               StreamLinkOptions options);
    /// Ends the channel at once. Calls in flight fail; the listener is not notified.
    ~StreamLink() override;

    /// Makes the text of a request from its id, which is JSON.
    using Composer = std::function<std::string(std::string_view id)>;
    /// Runs one request of the handshake. The request is never cancelled at the downstream. `junk`
    /// decides whether a message that is not JSON-RPC fails it.
    [[nodiscard]] boost::asio::awaitable<CallResult> shake_hands(const Composer& composer,
                                                                 resilience::Deadline deadline,
                                                                 JunkRule junk);
    /// Ends the handshake: calls are accepted and the listener is notified from here on. A legacy
    /// downstream gets the `initialized` notification.
    void serve(Negotiated negotiated, std::weak_ptr<LinkListener> listener);

    [[nodiscard]] const Negotiated& negotiated() const override;
    [[nodiscard]] boost::asio::awaitable<CallResult> call(
        net::OwningLoop caller, Request request, std::shared_ptr<CallListener> listener) override;
    void notify(std::string_view method, std::string params) override;
    void set_interests(Interests interests) override;
    [[nodiscard]] boost::asio::awaitable<void> close(CallFault why) override;
    [[nodiscard]] bool has_answered() const override;
    [[nodiscard]] std::optional<LinkProcess> process() const override;
    [[nodiscard]] std::vector<std::string> last_log_lines(std::size_t count) const override;

    [[nodiscard]] const StreamLinkCounters& counters() const noexcept;

private:
    const std::shared_ptr<StreamCore> core_;
};

}  // namespace holdfast::downstream
