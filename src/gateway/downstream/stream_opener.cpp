// How a link is opened, depending on the assumed era of the downstream:
//
//   modern   ask `server/discover`, with patience     if it dies of it: unknown
//   unknown  ask it, for a short while                if it dies of it: legacy
//   legacy   send `initialize`
//
// A downstream that lives but gives no modern answer gets `initialize` on the same channel. Silence
// counts from when a program has read its input: it may be slow to start. Even then the probe stays
// open. If its answer comes after all, the downstream was only slow: it is modern if it refuses
// `initialize`, and is started again as modern if it accepts that too. One that printed a line
// that is not JSON and then refuses `initialize` is probed once more.

#include "downstream/stream_opener.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "downstream/stream/stream_link.hpp"
#include "downstream/wire_text.hpp"
#include "process/process_activity.hpp"

namespace holdfast::downstream {

namespace asio = boost::asio;
using mcp::ProbeVerdict;
using OpenResult = resilience::Result<std::shared_ptr<Link>, CallFault>;

struct StreamOpener::Setup {
    ChannelSource source;
    StreamOpenerOptions options;
    std::vector<std::string> last_log_lines = {};
    /// It answered the last probe late, so the next one gets all the time.
    bool is_slow = false;
};

namespace {

constexpr std::size_t kKeptLogLines = 50;
/// The longest wait for the answer of a downstream that was modern the last time.
constexpr resilience::Duration kModernProbeWait = std::chrono::seconds{15};

/// The assumed era.
enum class Belief : std::uint8_t { modern, unknown, legacy };

Belief first_belief(const LinkPurpose& purpose, bool is_always_legacy, bool is_slow) {
    if (is_always_legacy || purpose.known_era == mcp::Era::legacy) {
        return Belief::legacy;
    }
    return is_slow || purpose.known_era == mcp::Era::modern ? Belief::modern : Belief::unknown;
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

/// A `server/discover` in flight. It outlives the patience of the probe.
struct PendingProbe {
    explicit PendingProbe(resilience::Timekeeper& clock) : news(clock) {}

    std::optional<CallResult> answer = std::nullopt;
    resilience::OneShot news;
    asio::cancellation_signal cancel = {};
};

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
    std::shared_ptr<PendingProbe> pending = {};
    bool is_slow = false;  ///< It is modern, and may need all the time to start.

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

    /// A known modern downstream gets more time, but leaves some for the fallback.
    [[nodiscard]] resilience::Deadline patience(Belief belief) const {
        if (must_be_modern() || (is_slow && belief == Belief::modern)) {
            return deadline;
        }
        const auto now = home.timekeeper->now();
        const auto probe_wait = setup->options.link.link.probe_wait;
        const bool is_patient = belief == Belief::modern && !deadline.is_never();
        return deadline.tightened(
            now, is_patient
                     ? std::max(probe_wait, std::min(deadline.remaining(now) / 2, kModernProbeWait))
                     : probe_wait);
    }

    /// Lets the owner of the start watch the process.
    void show_process() const {
        const auto process = link->process();
        if (process && purpose.starting) {
            purpose.starting->activity = [process = *process] {
                const auto tree = process::activity_of_tree(static_cast<pid_t>(process.pid));
                return ProcessActivity{.cpu = tree.cpu,
                                       .log_bytes = process.log->appended_bytes(),
                                       .processes = tree.processes};
            };
        }
    }
    [[nodiscard]] OpenResult ready(Negotiated negotiated) {
        link->serve(std::move(negotiated), listener);
        return std::shared_ptr<Link>{std::move(link)};
    }

    [[nodiscard]] bool must_be_modern() const {
        return purpose.is_era_required && purpose.known_era == mcp::Era::modern;
    }
    /// Sends the probe; `pending` receives its answer.
    static void begin_probe(const Owner& self);
    void drop_probe();
    /// Returns what the probe has agreed on after its patience, if anything.
    [[nodiscard]] std::optional<Negotiated> late_agreement();

    [[nodiscard]] static asio::awaitable<OpenResult> run(Owner self, Belief belief);
    [[nodiscard]] static asio::awaitable<OpenResult> try_eras(Owner self, Belief belief);
    /// Waits for the answer of the probe. Returns whether the downstream was silent.
    [[nodiscard]] static asio::awaitable<bool> was_silent(Owner self, Belief belief);
    [[nodiscard]] static asio::awaitable<std::optional<CallFault>> connect(Owner self);
    [[nodiscard]] static asio::awaitable<Probe> probe(Owner self, Belief belief);
    /// Returns nothing if the downstream turned out to be modern and must be started again.
    [[nodiscard]] static asio::awaitable<std::optional<OpenResult>> shake(Owner self,
                                                                          bool was_silent);
    /// Returns the fault of this attempt, stores the output of the process, and ends it.
    [[nodiscard]] static asio::awaitable<OpenResult> fail(Owner self, CallFault fault);
};

void StreamOpener::Opening::begin_probe(const Owner& self) {
    const auto ask = [](Owner opening,
                        std::shared_ptr<PendingProbe> probe) -> asio::awaitable<void> {
        co_await asio::this_coro::throw_if_cancelled(false);
        auto answer = co_await opening->discover(mcp::kNewestModern, opening->deadline);
        probe->answer.emplace(std::move(answer));
        probe->news.signal();
    };
    self->drop_probe();
    self->pending = std::make_shared<PendingProbe>(*self->home.timekeeper);
    asio::co_spawn(
        self->home.executor, ask(self, self->pending),
        asio::bind_cancellation_slot(self->pending->cancel.slot(),
                                     [probe = self->pending](const std::exception_ptr&) {}));
}

void StreamOpener::Opening::drop_probe() {
    if (const auto probe = std::exchange(pending, nullptr)) {
        // Posted, so that the signal lives until it has reached the coroutine.
        asio::post(home.executor,
                   [probe] { probe->cancel.emit(asio::cancellation_type::terminal); });
    }
}

std::optional<Negotiated> StreamOpener::Opening::late_agreement() {
    if (!pending || !pending->answer || !*pending->answer || (*pending->answer)->is_error()) {
        return std::nullopt;
    }
    const auto conclusion = probe_conclusion(**pending->answer, true);
    if (conclusion.verdict != ProbeVerdict::modern) {
        return std::nullopt;
    }
    auto negotiated = negotiated_by_discover(**pending->answer, *conclusion.version);
    return negotiated ? std::optional{std::move(*negotiated)} : std::nullopt;
}

asio::awaitable<std::optional<CallFault>> StreamOpener::Opening::connect(Owner self) {
    self->link.reset();  // ends a process that was started before
    auto channel = co_await self->setup->source(self->home, self->deadline);
    if (!channel) {
        co_return connect_fault(channel.error());
    }
    self->link = StreamLink::make(self->home, std::move(*channel), self->setup->options.link);
    self->show_process();
    co_return std::nullopt;
}

asio::awaitable<bool> StreamOpener::Opening::was_silent(Owner self, Belief belief) {
    auto until = self->patience(belief);
    while (!self->pending->answer) {
        const auto reason = co_await self->pending->news.wait_until(until.when());
        if (self->pending->answer || reason == resilience::WakeReason::cancelled) {
            break;
        }
        // A program that has not read the probe yet is still starting.
        const bool is_over = self->deadline.is_expired(self->home.timekeeper->now());
        if (reason == resilience::WakeReason::time &&
            (is_over || !self->link->has_unread_input())) {
            co_return !is_over;
        }
        until = self->patience(Belief::unknown);
    }
    co_return false;
}

asio::awaitable<Probe> StreamOpener::Opening::probe(Owner self, Belief belief) {
    begin_probe(self);
    const auto pending = self->pending;
    if (co_await was_silent(self, belief)) {
        co_return Probe{.verdict = ProbeVerdict::legacy, .was_silent = true};
    }
    if (!pending->answer) {
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        const bool is_cancelled = cancellation.cancelled() != asio::cancellation_type::none;
        co_return Probe{.fault = CallFault{.kind = is_cancelled ? CallFault::Kind::cancelled
                                                                : CallFault::Kind::timed_out,
                                           .message = "The call was cancelled."}};
    }
    auto answer = std::move(*pending->answer);
    self->drop_probe();
    if (!answer) {
        co_return Probe{.verdict = verdict_of(answer.error()),
                        .fault = answer.error(),
                        .was_silent = answer.error().kind == CallFault::Kind::malformed};
    }
    const auto conclusion = probe_conclusion(*answer, true);
    if (conclusion.verdict != ProbeVerdict::modern) {
        co_return Probe{.verdict = conclusion.verdict};
    }
    if (answer->is_error()) {
        // The downstream speaks a known revision but did not describe itself. Asks again in that
        // revision.
        answer = co_await self->discover(*conclusion.version, self->patience(belief));
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

asio::awaitable<OpenResult> StreamOpener::Opening::fail(Owner self, CallFault fault) {
    if (self->link && self->setup->options.stops_failed_starts && self->link->process()) {
        // Also after a cancellation: a program that is installing gets time to undo its work.
        co_await asio::this_coro::reset_cancellation_state();
        co_await self->link->close(fault);
    }
    self->setup->last_log_lines =
        self->link ? self->link->last_log_lines(kKeptLogLines) : std::vector<std::string>{};
    co_return as_connect_fault(std::move(fault));
}

asio::awaitable<std::optional<OpenResult>> StreamOpener::Opening::shake(Owner self,
                                                                        bool was_silent) {
    const auto answer = co_await self->initialize();
    auto late = self->late_agreement();
    self->drop_probe();
    if (!answer) {
        co_return co_await fail(self, answer.error());
    }
    if (late && answer->is_error()) {
        co_return self->ready(std::move(*late));
    }
    if (late && !std::exchange(self->is_slow, true)) {
        // The handshake may have fixed the era of this connection.
        self->setup->is_slow = true;
        co_return std::nullopt;
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
        co_return co_await fail(self, negotiated.error());
    }
    co_return self->ready(std::move(*negotiated));
}

asio::awaitable<OpenResult> StreamOpener::Opening::try_eras(Owner self, Belief belief) {
    if (belief == Belief::modern) {
        // Forgotten until it proves true again: another server may be there by now.
        self->is_slow = std::exchange(self->setup->is_slow, false);
    }
    while (true) {
        if (auto fault = co_await connect(self)) {
            co_return co_await fail(self, std::move(*fault));
        }
        if (belief == Belief::legacy) {
            auto opened = co_await shake(self, false);
            co_return std::move(*opened);
        }
        auto probe = co_await Opening::probe(self, belief);
        if (probe.negotiated) {
            self->setup->is_slow = self->is_slow;
            co_return self->ready(std::move(*probe.negotiated));
        }
        const bool is_not_modern =
            probe.verdict == ProbeVerdict::legacy ||
            (probe.verdict == ProbeVerdict::restart && belief == Belief::unknown);
        if (is_not_modern && self->must_be_modern()) {
            co_return co_await fail(self, not_modern_fault());
        }
        if (probe.verdict == ProbeVerdict::legacy) {
            auto opened = co_await shake(self, probe.was_silent);
            if (opened) {
                co_return std::move(*opened);
            }
            belief = Belief::modern;
            continue;
        }
        if (probe.verdict != ProbeVerdict::restart) {
            co_return co_await fail(
                self, probe.fault.value_or(CallFault{
                          .kind = CallFault::Kind::not_connected,
                          .message = "The server speaks only protocol versions that the gateway "
                                     "does not know."}));
        }
        belief = belief == Belief::modern ? Belief::unknown : Belief::legacy;
    }
}

asio::awaitable<OpenResult> StreamOpener::Opening::run(Owner self, Belief belief) {
    // A cancelled attempt ends with a fault, after it has stopped its process.
    co_await asio::this_coro::throw_if_cancelled(false);
    auto opened = co_await try_eras(self, belief);
    self->drop_probe();
    co_return opened;
}

StreamOpener::StreamOpener(ChannelSource source, StreamOpenerOptions options)
    : setup_(std::make_shared<Setup>(
          Setup{.source = std::move(source), .options = std::move(options)})) {}

StreamOpener::~StreamOpener() = default;

asio::awaitable<OpenResult> StreamOpener::open(net::OwningLoop home, LinkPurpose purpose,
                                               std::weak_ptr<LinkListener> listener,
                                               resilience::Deadline deadline) {
    const Belief belief = first_belief(purpose, setup_->options.is_always_legacy, setup_->is_slow);
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
