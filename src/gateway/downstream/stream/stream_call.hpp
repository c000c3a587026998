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
#include "downstream/started_call.hpp"
#include "downstream/supervision/call_choice.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/deadline.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

class StreamLink;

/// What the link has to know of a request after it was written.
struct StreamCallTraits {
    std::shared_ptr<const AgentIdentity> agent = {};  ///< Null = the gateway's own request.
    resilience::Deadline deadline = resilience::Deadline::never();
    bool wants_progress = false;
};

/// A call in flight, shared between its caller on the caller's loop and the link on its home loop.
/// The caller is an observer, or a coroutine that waits for `done`.
///
/// Thread-safety: each member belongs to the loop named above it.
struct StreamCall final : StartedCall, std::enable_shared_from_this<StreamCall> {
    StreamCall(net::OwningLoop caller_loop, const Request& request,
               std::shared_ptr<CallListener> hearer, bool is_on_other_loop)
        : caller(std::move(caller_loop)),
          traits{.agent = request.agent,
                 .deadline = request.deadline,
                 .wants_progress = request.wants_progress},
          listener(std::move(hearer)),
          is_remote(is_on_other_loop),
          done(*caller.timekeeper) {}

    /// For a call with an observer.
    void cancel() override;

    // Constant after the start.
    const net::OwningLoop caller;
    const StreamCallTraits traits;
    const std::shared_ptr<CallListener> listener;
    CallObserver* observer = nullptr;     ///< The listener, if it receives the result too.
    std::weak_ptr<StreamLink> link = {};  ///< Set for a call with an observer.
    const bool is_remote;                 ///< Whether the caller's loop differs from the home loop.

    // Home loop.
    std::uint64_t id = 0;
    std::string handshake_text = {};  ///< Written instead of the request; empty = no handshake.
    JunkRule handshake_junk = JunkRule::skip;
    double last_progress = -std::numeric_limits<double>::infinity();
    std::size_t open_questions = 0;  ///< That its agent has not answered yet.

    // Caller's loop.
    resilience::OneShot done;
    std::optional<CallResult> result = std::nullopt;
    bool is_over = false;  ///< The caller no longer waits or listens.

    // Any loop.
    /// Posted to the caller but not yet delivered.
    std::atomic<std::size_t> notices_under_way = 0;
};

/// Delivers the result of a call, on its own loop. Only the first result counts. An observer on the
/// home loop is called at once; it may use or end the link.
void settle(std::shared_ptr<StreamCall> call, CallResult result);
/// The same for callers that must not be interrupted: an observer is called later.
void settle_later(std::shared_ptr<StreamCall> call, CallResult result);
/// Notifies the call's listener. Drops notifications if a caller on another loop is too far behind.
void tell(const std::shared_ptr<StreamCall>& call, Notification notification);
/// Asks the call's listener; without one the question is dropped and so refused.
void ask(const std::shared_ptr<StreamCall>& call, Question question);

/// The calls in flight on one link.
///
/// Thread-safety: none; belongs to the home loop.
class StreamCallTable final {
public:
    void add(std::shared_ptr<StreamCall> call);
    [[nodiscard]] std::shared_ptr<StreamCall> find(std::uint64_t id) const;
    /// Finds a call by its id as written on the wire; null if the id is not one of this link's.
    [[nodiscard]] std::shared_ptr<StreamCall> find(std::string_view id) const;
    /// Returns whether the call was in the table.
    bool remove(std::uint64_t id);
    /// Removes a call that has ended now, which may still cause messages. Returns whether it was in
    /// the table.
    bool end(std::uint64_t id, resilience::TimePoint now);
    [[nodiscard]] std::vector<std::shared_ptr<StreamCall>> take_all();

    /// Returns the only call in flight; null if there are several or none.
    [[nodiscard]] std::shared_ptr<StreamCall> only_one() const;
    /// Returns the call that a message without a call id is about. Ignores the gateway's own calls,
    /// which have no agent.
    [[nodiscard]] ChosenCall chosen(UnnamedMessage what, resilience::TimePoint now) const;
    [[nodiscard]] std::size_t size() const noexcept { return calls_.size(); }

private:
    std::map<std::uint64_t, std::shared_ptr<StreamCall>> calls_;  // the latest is the last
    RecentEnds ended_;
};

}  // namespace holdfast::downstream
