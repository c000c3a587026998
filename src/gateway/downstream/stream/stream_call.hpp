#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "downstream/answer.hpp"
#include "downstream/call_listener.hpp"
#include "downstream/link_opener.hpp"
#include "downstream/request.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// A call in flight: shared between the coroutine that waits for it on the caller's loop and the
/// link on its home loop.
///
/// Thread-safety: each member belongs to the loop that it is listed under.
struct StreamCall {
    StreamCall(net::OwningLoop caller_loop, Request what, std::shared_ptr<CallListener> hearer,
               bool is_on_other_loop)
        : caller(std::move(caller_loop)),
          request(std::move(what)),
          listener(std::move(hearer)),
          is_remote(is_on_other_loop),
          done(*caller.timekeeper) {}

    // Constant.
    const net::OwningLoop caller;
    const Request request;
    const std::shared_ptr<CallListener> listener;
    const bool is_remote;  ///< The caller's loop is not the home loop.

    // Home loop.
    std::uint64_t id = 0;
    std::string prepared_text = {};  ///< Of the handshake; written instead of the request.
    JunkRule handshake_junk = JunkRule::skip;
    double last_progress = -std::numeric_limits<double>::infinity();

    // Caller's loop.
    resilience::OneShot done;
    std::optional<CallResult> result = std::nullopt;
    bool is_over = false;  ///< Nobody waits or listens any more.

    // Any loop.
    std::atomic<std::size_t> notices_under_way = 0;  ///< Posted to the caller, not yet heard.
};

/// Gives a call its result, on its own loop. The first one counts.
void settle(const std::shared_ptr<StreamCall>& call, CallResult result);
/// Tells the call's listener. A caller on another loop that is far behind misses some.
void tell(const std::shared_ptr<StreamCall>& call, Notification notification);
/// Asks the call's listener; without one the question is dropped, which refuses it.
void ask(const std::shared_ptr<StreamCall>& call, Question question);

/// Of whom a message may speak that names no call.
struct Meant {
    enum class Kind : std::uint8_t { nobody, one_agent, several_agents };

    Kind kind = Kind::nobody;
    std::shared_ptr<StreamCall> call = {};  ///< Of the one agent: its latest.
};

/// The calls in flight on one link.
///
/// Thread-safety: none; belongs to the home loop.
class StreamCallTable final {
public:
    void add(std::shared_ptr<StreamCall> call);
    [[nodiscard]] std::shared_ptr<StreamCall> find(std::uint64_t id) const;
    /// By the id as written on the wire; null if it is none of ours.
    [[nodiscard]] std::shared_ptr<StreamCall> find(std::string_view id) const;
    /// Whether it was there.
    bool remove(std::uint64_t id);
    [[nodiscard]] std::vector<std::shared_ptr<StreamCall>> take_all();

    /// The only call in flight, null if there are more or none.
    [[nodiscard]] std::shared_ptr<StreamCall> only_one() const;
    /// What the gateway asks for itself does not count: no agent stands behind it.
    [[nodiscard]] Meant meant() const;
    [[nodiscard]] std::size_t size() const noexcept { return calls_.size(); }

private:
    std::map<std::uint64_t, std::shared_ptr<StreamCall>> calls_;  // the latest is the last
};

/// The number that an id or token of ours is written as; nothing if it is none.
[[nodiscard]] std::optional<std::uint64_t> number_from(std::string_view json);

}  // namespace holdfast::downstream
