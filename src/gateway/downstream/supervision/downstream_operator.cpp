#include <utility>

#include "downstream/supervision/connection_text.hpp"
#include "downstream/supervision/downstream_core.hpp"

// The commands of an operator for a running downstream.

namespace holdfast::downstream {

bool DownstreamCore::pause() {
    const CallFault why = paused_fault(options_.name);
    if (!machine_.on_pause()) {
        return false;
    }
    set_reason("An operator has paused it.");
    cancel_start();
    drop_links(why);
    wake_.signal();
    publish();
    answer_waiting();
    return true;
}

bool DownstreamCore::resume() {
    if (!machine_.on_resume()) {
        return false;
    }
    set_reason({});
    publish();
    run_or_wake();
    return true;
}

bool DownstreamCore::restart() {
    if (start_ && machine_.state() == LinkState::connecting) {
        // The running attempt may hang for long; the next one begins when it has ended.
        cancel_start();
        return true;
    }
    if (!machine_.on_restart()) {
        return false;
    }
    set_reason({});
    drop_links(restarted_fault(options_.name));
    publish();
    run_or_wake();
    return true;
}

void DownstreamCore::cancel_start() {
    if (start_) {
        start_->cancel();
    }
}

void DownstreamCore::drop_links(const CallFault& why) {
    for (auto& link : take_links(why)) {
        close_in_background(home_.executor, std::move(link), why);
    }
}

}  // namespace holdfast::downstream
