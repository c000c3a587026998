#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "downstream/downstream_options.hpp"
#include "downstream/downstream_status.hpp"
#include "downstream/link_opener.hpp"
#include "downstream/start_gate.hpp"
#include "downstream/starting/start_patience.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/loop.hpp"

namespace holdfast::downstream {

/// One attempt to open a link. Watches the process that the opener starts, if any, and ends the
/// attempt when its patience ends.
///
/// Shared by the coroutine of `open`, the coroutine of the opener, and the owner that may cancel
/// it.
///
/// Thread-safety: none; belongs to the home loop.
class LinkStart final : public std::enable_shared_from_this<LinkStart> {
public:
    using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;

    /// `gate` is null for a start that is not held back. `on_change` is called when the result of
    /// `progress` has changed.
    LinkStart(
        net::OwningLoop home, std::shared_ptr<LinkOpener> opener, const DownstreamOptions& options,
        std::shared_ptr<StartGate> gate, std::function<void()> on_change = [] {});

    /// Opens the link. Call once. When its coroutine is cancelled, it still waits until the opener
    /// has ended: a program may have to be stopped.
    [[nodiscard]] static boost::asio::awaitable<Opened> open(std::shared_ptr<LinkStart> self,
                                                             LinkPurpose purpose,
                                                             std::weak_ptr<LinkListener> listener);
    /// A call waits for the link.
    void prefer();
    /// Ends the attempt; its result is of no interest.
    void cancel();
    [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }
    [[nodiscard]] StartProgress progress() const;

private:
    static boost::asio::awaitable<void> run_opener(std::shared_ptr<LinkStart> self,
                                                   LinkPurpose purpose,
                                                   std::weak_ptr<LinkListener> listener);
    static boost::asio::awaitable<void> wait_for_slot(std::shared_ptr<LinkStart> self);
    static boost::asio::awaitable<void> wait(std::shared_ptr<LinkStart> self,
                                             resilience::TimePoint until);
    void begin(LinkPurpose purpose, std::weak_ptr<LinkListener> listener);
    void on_opener_ended();
    void look();
    void interrupt();
    [[nodiscard]] resilience::TimePoint next_look() const;
    [[nodiscard]] Opened take_result();

    const net::OwningLoop home_;
    const std::shared_ptr<LinkOpener> opener_;  // shared with the downstream
    const bool starts_process_;
    const std::string package_;
    const std::function<void()> on_change_;
    const StartPatienceOptions patience_options_;
    StartPatience patience_;
    const std::shared_ptr<StartingProcess> process_;  // shared with the opener
    const std::shared_ptr<StartGate> gate_;    // null = needs no slot; shared by all downstreams
    std::unique_ptr<StartGate::Place> place_;  // in the queue of the gate, or the slot
    std::optional<resilience::TimePoint> granted_at_;
    std::optional<Opened> result_;
    resilience::OneShot news_;
    boost::asio::cancellation_signal interrupt_;
    bool is_preferred_ = false;
    bool has_begun_ = false;
    bool is_installing_ = false;
    bool is_cancelled_ = false;
    bool is_timed_out_ = false;
    bool is_interrupted_ = false;
};

}  // namespace holdfast::downstream
