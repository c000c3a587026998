#include "downstream/supervision/interest_keeper.hpp"

#include <tuple>
#include <utility>

#include "downstream/wire_text.hpp"
#include "jsonrpc/json_text.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::downstream {
namespace {

/// Does not wait for the answer: a resource that cannot be watched just reports no changes.
bool send_about(std::string_view method, std::string_view uri, StreamOutlet& outlet) {
    const Request request{.method = method,
                          .params_members = "\"uri\":" + jsonrpc::quoted_text(uri)};
    const std::string id = std::to_string(outlet.next_id());
    return outlet.try_write(dressed_request(request, {.id = id})).has_value();
}

bool is_empty(const Interests& interests) {
    return !interests.lists && interests.resource_uris.empty();
}

}  // namespace

void LegacySubscriptions::want(const std::vector<std::string>& uris, StreamOutlet& outlet) {
    const std::set<std::string, std::less<>> wanted{uris.begin(), uris.end()};
    for (auto place = subscribed_.begin(); place != subscribed_.end();) {
        const bool is_over =
            !wanted.contains(*place) && send_about("resources/unsubscribe", *place, outlet);
        place = is_over ? subscribed_.erase(place) : std::next(place);
    }
    for (const std::string& uri : wanted) {
        if (!subscribed_.contains(uri) && send_about("resources/subscribe", uri, outlet)) {
            subscribed_.insert(uri);
        }
    }
}

ModernListening::ModernListening(StreamOutlet& outlet, resilience::Timekeeper& timekeeper,
                                 const ListeningOptions& options)
    : outlet_(&outlet), timekeeper_(&timekeeper), options_(options), backoff_(options.reopen) {}

void ModernListening::want(Interests interests) {
    if (interests == wanted_) {
        return;
    }
    wanted_ = std::move(interests);
    is_refused_ = false;
    advance();
}

bool ModernListening::forwards(std::uint64_t id) {
    if (opening_ && opening_->id == id) {
        std::ignore = on_acknowledged(id);
    }
    return current_ && current_->id == id;
}

bool ModernListening::on_acknowledged(std::uint64_t id) {
    if (!opening_ || opening_->id != id) {
        return false;
    }
    stop_timer();
    cancel(current_);
    current_ = std::exchange(opening_, std::nullopt);
    current_->heard_at = timekeeper_->now();
    const bool may_have_missed = std::exchange(was_lost_, false);
    advance();
    return may_have_missed;
}

void ModernListening::on_ended(std::uint64_t id, int error_code) {
    if (current_ && current_->id == id) {
        const auto age = resilience::elapsed_between(current_->heard_at, timekeeper_->now());
        failures_ = age >= options_.sustained ? 0 : failures_;
        current_.reset();
        was_lost_ = true;
        if (!opening_) {
            lose(error_code);
        }
    } else if (opening_ && opening_->id == id) {
        opening_.reset();
        lose(error_code);
    }
}

void ModernListening::end() {
    has_ended_ = true;
    current_.reset();
    opening_.reset();
    stop_timer();
}

void ModernListening::on_time() {
    if (opening_) {
        cancel(opening_);
        lose(0);
    } else {
        advance();
    }
}

/// Takes one step towards the wanted interests, unless one is in progress.
void ModernListening::advance() {
    if (has_ended_ || is_refused_) {
        return;
    }
    if (is_empty(wanted_)) {
        stop_timer();
        cancel(opening_);
        cancel(current_);
        was_lost_ = false;
    } else if (!opening_ && !(current_ && current_->interests == wanted_)) {
        open();
    }
}

void ModernListening::open() {
    const Request request{.method = "subscriptions/listen",
                          .params_members = listen_members(wanted_)};
    const std::uint64_t id = outlet_->next_id();
    const std::string id_text = std::to_string(id);
    const auto written = outlet_->try_write(dressed_request(
        request, {.id = id_text, .revision = voice_.revision, .client_info = voice_.client_info}));
    if (!written) {
        lose(0);
        return;
    }
    opening_ = Listen{.id = id, .interests = wanted_};
    timekeeper_->schedule(
        *this, resilience::saturating_add(timekeeper_->now(), options_.acknowledge_wait));
}

void ModernListening::lose(int error_code) {
    stop_timer();
    if (error_code == mcp::kMethodNotFound) {
        is_refused_ = true;
        return;
    }
    ++failures_;
    timekeeper_->schedule(
        *this, resilience::saturating_add(timekeeper_->now(), backoff_.computed(failures_)));
}

void ModernListening::cancel(std::optional<Listen>& listen) {
    if (listen) {
        // If this cannot be sent now, the downstream keeps sending notifications, which are
        // dropped.
        std::ignore = outlet_->try_write_urgent(cancelled_text(std::to_string(listen->id), {}));
        listen.reset();
    }
}

void ModernListening::stop_timer() {
    if (is_scheduled()) {
        timekeeper_->cancel(*this);
    }
}

}  // namespace holdfast::downstream
