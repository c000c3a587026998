#include <algorithm>
#include <utility>

#include "base/cause_line.hpp"
#include "downstream/supervision/connection_text.hpp"
#include "downstream/supervision/downstream_core.hpp"
#include "downstream/supervision/list_pages.hpp"

// The published view of a downstream: its status, the problems of its lists, and the last output of
// its process.

namespace holdfast::downstream {

void DownstreamCore::publish() {
    publish_view();
    if (const auto watcher = watcher_.lock()) {
        watcher->on_state(options_.name, status());
    }
}

void DownstreamCore::publish_view() {
    auto view = std::make_shared<DownstreamView>();
    view->status = {.state = machine_.state(),
                    .reason = reason_,
                    .log_excerpt = log_excerpt_,
                    .next_attempt_at = machine_.next_attempt_at(),
                    .ready_since = machine_.ready_since(),
                    .starting_since = starting_since(),
                    .connects = machine_.connects(),
                    .failures_in_row = machine_.failures_in_row(),
                    .failed_dials = machine_.failed_dials(),
                    .is_given_up = !options_.waits_for_peer &&
                                   machine_.failed_dials() >= options_.reconnect_attempts,
                    .unread_lists = shared_.lists ? shared_.lists->unread() : 0,
                    .list_problems = shared_.list_problems,
                    .list_faults = list_faults_};
    if (start_ && machine_.state() == LinkState::connecting) {
        view->status.start = start_->progress();
    }
    if (shared_.link) {
        view->status.negotiated = shared_.link->negotiated();
        view->process = shared_.link->process();
    }
    if (view->process) {
        view->status.pid = view->process->pid;
    } else {
        view->log_lines = log_lines_now();
    }
    view->link = shared_.link;
    view->shares_link = shares_link_;
    view->legacy_leg_from = legacy_leg_from_;
    view->was_unauthorized = was_unauthorized_;
    view->is_down = machine_.is_down();
    published_.publish(std::move(view));
}

void DownstreamCore::set_reason(std::string reason, const std::vector<std::string>& log) {
    reason_ = std::move(reason);
    log_excerpt_ = base::cause_line(log);
}

std::optional<resilience::TimePoint> DownstreamCore::starting_since() const {
    // A server that connects to the gateway may never come.
    const bool is_starting = machine_.state() == LinkState::connecting &&
                             machine_.connects() == 0 && machine_.failed_dials() == 0 &&
                             !options_.waits_for_peer;
    return is_starting ? std::optional{started_at_} : std::nullopt;
}

void DownstreamCore::on_list_failed(ListKind kind, const CallFault& why) {
    // An empty reason would mean that there is no problem.
    ListProblem problem{.list = method_of(kind),
                        .reason = why.message.empty() ? "No answer." : why.message};
    const auto known = std::ranges::find(shared_.list_problems, problem.list, &ListProblem::list);
    const bool is_new = known == shared_.list_problems.end();
    if (is_new) {
        shared_.list_problems.push_back(problem);
    } else {
        *known = problem;
    }
    publish_view();
    if (is_new) {
        tell_list_problem(problem);
    }
}

void DownstreamCore::on_list_read(const Listing& listing) {
    const ListKind kind = listing.kind;
    note_list_faults(kind, listing.faults);
    const bool had_problem = std::erase_if(shared_.list_problems, [kind](const auto& problem) {
                                 return problem.list == method_of(kind);
                             }) > 0;
    publish_view();
    if (had_problem) {
        tell_list_problem({.list = method_of(kind)});
    }
}

void DownstreamCore::note_list_faults(ListKind kind, const EntryFaults& faults) {
    const auto known = std::ranges::find(list_faults_, method_of(kind), &ListFaults::list);
    if (known == list_faults_.end() ? faults.entries == 0 : known->faults == faults) {
        return;  // reported before, also by an earlier connection
    }
    if (known != list_faults_.end()) {
        list_faults_.erase(known);
    }
    if (faults.entries == 0) {
        return;
    }
    const ListFaults& list = list_faults_.emplace_back(method_of(kind), faults);
    if (const auto watcher = watcher_.lock()) {
        watcher->on_list_faults(options_.name, list);
    }
}

void DownstreamCore::tell_list_problem(const ListProblem& problem) {
    if (const auto watcher = watcher_.lock()) {
        watcher->on_list_problem(options_.name, problem);
    }
}

std::shared_ptr<const DownstreamView> DownstreamCore::view() const {
    return published_.latest();
}

DownstreamStatus DownstreamCore::status() const {
    DownstreamStatus status = view()->status;
    status.agent_links = agents_->size();
    return status;
}

std::vector<std::string> DownstreamCore::log_lines_now() const {
    if (shared_.link) {
        return shared_.link->last_log_lines(kKeptLogLines);
    }
    return lost_log_lines_ ? *lost_log_lines_ : opener_->last_log_lines(kKeptLogLines);
}

std::vector<std::string> DownstreamCore::last_log_lines(std::size_t count) const {
    const auto seen = view();
    if (seen->process) {
        return seen->process->log->last_lines(count);
    }
    const std::vector<std::string>& lines = seen->log_lines;
    const std::size_t kept = std::min(count, lines.size());
    return {lines.end() - static_cast<std::ptrdiff_t>(kept), lines.end()};
}

}  // namespace holdfast::downstream
