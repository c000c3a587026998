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
    std::size_t max_questions = 64;  ///< Of the downstream, without an answer yet.
};

/// What a link has seen that belongs to no call.
struct StreamLinkCounters {
    std::uint64_t junk_messages = 0;       ///< Not JSON-RPC, and skipped.
    std::uint64_t oversized_messages = 0;  ///< Over the limit of the channel.
};

/// A channel that knows its peer's process, and what that has logged.
class LoggedChannel : public net::MessageChannel {
public:
    [[nodiscard]] virtual std::optional<LinkProcess> process() const = 0;
    [[nodiscard]] virtual std::vector<std::string> last_log_lines(std::size_t count) const = 0;
};

/// A link over a channel of whole messages, which calls share: answers are told apart by id.
///
/// What a legacy downstream asks or says without naming a call is taken to be about the one agent
/// that has calls in flight. With none it is the link's own; with several nobody can be meant, and
/// questions are refused.
///
/// Thread-safety: as `Link`; made and destroyed on the home loop.
class StreamLink final : public Link {
public:
    StreamLink(const net::OwningLoop& home, std::unique_ptr<net::MessageChannel> channel,
               StreamLinkOptions options);
    /// Ends the channel at once. Calls in flight fail, nobody else is told.
    ~StreamLink() override;

    /// Makes the text of a request of its id, as JSON.
    using Composer = std::function<std::string(std::string_view id)>;
    /// Runs one request of the handshake. It is never cancelled at the downstream. `junk` says
    /// whether a message that is not JSON-RPC fails it.
    [[nodiscard]] boost::asio::awaitable<CallResult> shake_hands(const Composer& composer,
                                                                 resilience::Deadline deadline,
                                                                 JunkRule junk);
    /// Ends the handshake: from here on calls are taken and the listener hears. A legacy
    /// downstream is told that it has begun.
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
