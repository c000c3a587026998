// How a link is opened, depending on the assumed era of the downstream:
//
//   modern   ask `server/discover`, with patience     if it dies of it: unknown
//   unknown  ask it, for a short while                if it dies of it: legacy
//   legacy   send `initialize`
//
// A downstream that lives but gives no modern answer gets `initialize` on the same channel. One
// that was silent at first, or printed a line that is not JSON, and then refuses `initialize` was
// only slow to start, and is probed once more.

#include "downstream/stream_opener.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "downstream/stream/stream_link.hpp"
#include "downstream/wire_text.hpp"

namespace holdfast::downstream {

namespace asio = boost::asio;
using mcp::ProbeVerdict;
using OpenResult = resilience::Result<std::shared_ptr<Link>, CallFault>;

struct StreamOpener::Setup {
    ChannelSource source;
    StreamOpenerOptions options;
    std::vector<std::string> last_log_lines = {};
};

namespace {

constexpr std::size_t kKeptLogLines = 50;

/// The assumed era.
enum class Belief : std::uint8_t { modern, unknown, legacy };

Belief first_belief(const LinkPurpose& purpose, bool is_always_legacy) {
    if (is_always_legacy || purpose.known_era == mcp::Era::legacy) {
        return Belief::legacy;
    }
    return purpose.known_era == mcp::Era::modern ? Belief::modern : Belief::unknown;
}

/// Converts a fault of the handshake: no call was sent.
CallFault as_connect_fault(CallFault fault) {
    fault.delivery = resilience::Delivery::not_sent;
    if (fault.kind == CallFault::Kind::connection_lost) {
        fault.kind = CallFault::Kind::not_connected;
    } else if (fault.kind == CallFault::Kind::timed_out) {
        fault.message = "The server did not finish the handshake in time.";
    }
    return fault;
}

CallFault connect_fault(const net::NetError& error) {
    switch (error.code) {
        case net::NetErrc::timed_out:
            return {.kind = CallFault::Kind::timed_out, .message = error.message};
        case net::NetErrc::cancelled:
            return {.kind = CallFault::Kind::cancelled, .message = error.message};
        default:
            return {.kind = CallFault::Kind::not_connected, .message = error.message};
    }
}

/// Returns what an unanswered discover implies about the era.
ProbeVerdict verdict_of(const CallFault& fault) {
    switch (fault.kind) {
        case CallFault::Kind::timed_out:
            return mcp::concluded({.kind = mcp::ProbeAnswer::Kind::silence}, true).verdict;
        case CallFault::Kind::connection_lost:
            return mcp::concluded({.kind = mcp::ProbeAnswer::Kind::closed}, true).verdict;
        case CallFault::Kind::malformed:
        case CallFault::Kind::too_large:
            return ProbeVerdict::legacy;  // it answered with an error of its own
        default:
            return ProbeVerdict::unavailable;
    }
}

/// The end of a probe: an agreement, or a verdict on how to continue.
struct Probe {
    ProbeVerdict verdict = ProbeVerdict::unavailable;
    std::optional<Negotiated> negotiated = std::nullopt;
    std::optional<CallFault> fault = std::nullopt;
    bool was_silent = false;
};

}  // namespace

/// One attempt to open a link; lives until its coroutine ends.
struct StreamOpener::Opening {
    std::shared_ptr<Setup> setup;
    net::OwningLoop home;
    LinkPurpose purpose;
    std::weak_ptr<LinkListener> listener;
    resilience::Deadline deadline;
    std::shared_ptr<StreamLink> link = {};

    using Owner = std::shared_ptr<Opening>;

    [[nodiscard]] asio::awaitable<CallResult> discover(mcp::Revision revision,
                                                       resilience::Deadline until) const {
        return link->shake_hands(
            [this, revision](std::string_view id) {
                return discover_text(id, purpose, own_info(), revision);
            },
            until, JunkRule::fail);
    }
    [[nodiscard]] asio::awaitable<CallResult> initialize() const {
        return link->shake_hands(
            [this](std::string_view id) { return initialize_text(id, purpose, own_info()); },
            deadline, JunkRule::skip);
    }
    [[nodiscard]] const std::string& own_info() const {
        return setup->options.link.link.client_info;
    }

    /// A known modern downstream gets half of the time; the other half is for the fallback.
    [[nodiscard]] resilience::Deadline patience(Belief belief) const {
        const auto now = home.timekeeper->now();
        const auto probe_wait = setup->options.link.link.probe_wait;
        const bool is_patient = belief == Belief::modern && !deadline.is_never();
        return deadline.tightened(
            now, is_patient ? std::max(probe_wait, deadline.remaining(now) / 2) : probe_wait);
    }

    /// Returns the fault of this attempt and stores the output of the process.
    [[nodiscard]] CallFault failed(CallFault fault) {
        setup->last_log_lines =
            link ? link->last_log_lines(kKeptLogLines) : std::vector<std::string>{};
        return as_connect_fault(std::move(fault));
    }
    [[nodiscard]] OpenResult ready(Negotiated negotiated) {
        link->serve(std::move(negotiated), listener);
        return std::shared_ptr<Link>{std::move(link)};
    }

    [[nodiscard]] static asio::awaitable<OpenResult> run(Owner self, Belief belief);
    [[nodiscard]] static asio::awaitable<std::optional<CallFault>> connect(Owner self);
    [[nodiscard]] static asio::awaitable<Probe> probe(Owner self, Belief belief);
    [[nodiscard]] static asio::awaitable<OpenResult> shake(Owner self, bool was_silent);
};

asio::awaitable<std::optional<CallFault>> StreamOpener::Opening::connect(Owner self) {
    self->link.reset();  // ends a process that was started before
    auto channel = co_await self->setup->source(self->home, self->deadline);
    if (!channel) {
        co_return connect_fault(channel.error());
    }
    self->link = StreamLink::make(self->home, std::move(*channel), self->setup->options.link);
    co_return std::nullopt;
}

asio::awaitable<Probe> StreamOpener::Opening::probe(Owner self, Belief belief) {
    const auto until = self->patience(belief);
    auto answer = co_await self->discover(mcp::kNewestModern, until);
    if (!answer) {
        co_return Probe{.verdict = verdict_of(answer.error()),
                        .fault = answer.error(),
                        .was_silent = answer.error().kind == CallFault::Kind::timed_out ||
                                      answer.error().kind == CallFault::Kind::malformed};
    }
    const auto conclusion = probe_conclusion(*answer, true);
    if (conclusion.verdict != ProbeVerdict::modern) {
        co_return Probe{.verdict = conclusion.verdict};
    }
    if (answer->is_error()) {
        // The downstream speaks a known revision but did not describe itself. Asks again in that
        // revision.
        answer = co_await self->discover(*conclusion.version, until);
        if (!answer) {
            co_return Probe{.fault = answer.error()};
        }
    }
    auto negotiated = negotiated_by_discover(*answer, *conclusion.version);
    if (!negotiated) {
        co_return Probe{.fault = negotiated.error()};
    }
    co_return Probe{.verdict = ProbeVerdict::modern, .negotiated = std::move(*negotiated)};
}

asio::awaitable<OpenResult> StreamOpener::Opening::shake(Owner self, bool was_silent) {
    const auto answer = co_await self->initialize();
    if (!answer) {
        co_return self->failed(answer.error());
    }
    if (answer->is_error() && was_silent) {
        // It was only slow to start: a modern downstream does not know `initialize`.
        auto probe = co_await Opening::probe(self, Belief::modern);
        if (probe.negotiated) {
            co_return self->ready(std::move(*probe.negotiated));
        }
    }
    auto negotiated = negotiated_by_initialize(*answer);
    if (!negotiated) {
        co_return self->failed(negotiated.error());
    }
    co_return self->ready(std::move(*negotiated));
}

asio::awaitable<OpenResult> StreamOpener::Opening::run(Owner self, Belief belief) {
    while (true) {
        if (auto fault = co_await connect(self)) {
            co_return self->failed(std::move(*fault));
        }
        if (belief == Belief::legacy) {
            co_return co_await shake(self, false);
        }
        auto probe = co_await Opening::probe(self, belief);
        if (probe.negotiated) {
            co_return self->ready(std::move(*probe.negotiated));
        }
        if (probe.verdict == ProbeVerdict::legacy) {
            co_return co_await shake(self, probe.was_silent);
        }
        if (probe.verdict != ProbeVerdict::restart) {
            co_return self->failed(probe.fault.value_or(
                CallFault{.kind = CallFault::Kind::not_connected,
                          .message = "The server speaks only protocol versions that the gateway "
                                     "does not know."}));
        }
        belief = belief == Belief::modern ? Belief::unknown : Belief::legacy;
    }
}

StreamOpener::StreamOpener(ChannelSource source, StreamOpenerOptions options)
    : setup_(std::make_shared<Setup>(
          Setup{.source = std::move(source), .options = std::move(options)})) {}

StreamOpener::~StreamOpener() = default;

asio::awaitable<OpenResult> StreamOpener::open(net::OwningLoop home, LinkPurpose purpose,
                                               std::weak_ptr<LinkListener> listener,
                                               resilience::Deadline deadline) {
    const Belief belief = first_belief(purpose, setup_->options.is_always_legacy);
    return Opening::run(std::make_shared<Opening>(Opening{.setup = setup_,
                                                          .home = std::move(home),
                                                          .purpose = std::move(purpose),
                                                          .listener = std::move(listener),
                                                          .deadline = deadline}),
                        belief);
}

std::vector<std::string> StreamOpener::last_log_lines(std::size_t count) const {
    const auto& lines = setup_->last_log_lines;
    const std::size_t kept = std::min(count, lines.size());
    return {lines.end() - static_cast<std::ptrdiff_t>(kept), lines.end()};
}

}  // namespace holdfast::downstream
