#include "cli/output/start_text.hpp"

#include <chrono>

#include "base/printable.hpp"

namespace holdfast::cli {
namespace {

using downstream::StartPhase;

constexpr std::chrono::seconds kFirstReport{5};
constexpr std::chrono::seconds kNextReport{30};
constexpr std::size_t kMaxPackageBytes = 60;

}  // namespace

std::string start_text(const downstream::StartProgress& start, resilience::TimePoint now) {
    if (start.phase == StartPhase::waiting_for_slot) {
        return "waiting for other first starts";
    }
    const auto age =
        std::chrono::floor<std::chrono::seconds>(resilience::elapsed_between(start.since, now));
    const std::string what = start.phase == StartPhase::installing
                                 ? "installing " + base::shown_line(start.package, kMaxPackageBytes)
                                 : "starting";
    return what + ", " + std::to_string(age.count()) + " s";
}

bool makes_progress(const downstream::DownstreamStatus& status, resilience::TimePoint now,
                    resilience::Duration patience) {
    const auto is_recent = [&](resilience::TimePoint when) {
        return now < resilience::saturating_add(when, patience);
    };
    if (status.start) {
        return status.start->phase == StartPhase::waiting_for_slot ||
               is_recent(status.start->last_progress_at);
    }
    return status.ready_since && status.unread_lists > 0 && is_recent(*status.ready_since);
}

void StartReports::on_status(const std::string& server, const downstream::DownstreamStatus& status,
                             resilience::TimePoint now) {
    if (lines_ == nullptr || !status.start) {
        return;
    }
    const auto phase = status.start->phase;
    const auto [place, is_new] =
        reported_.try_emplace(server, Reported{.phase = phase, .next_at = now + kFirstReport});
    Reported& reported = place->second;
    if (reported.phase != phase) {
        reported = {.phase = phase, .next_at = now + kFirstReport};
    }
    if (now >= reported.next_at) {
        reported.next_at = now + kNextReport;
        *lines_ << server << ": " << start_text(*status.start, now) << '\n' << std::flush;
    }
}

}  // namespace holdfast::cli
