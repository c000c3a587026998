#include "downstream/stream/stream_call.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "downstream/wire_text.hpp"

namespace holdfast::downstream {
namespace {

/// Limit for notifications of one call that wait on another loop.
constexpr std::size_t kMaxNoticesUnderWay = 256;

void set_result(StreamCall& call, CallResult result) {
    if (call.is_over || call.result) {
        return;
    }
    if (call.observer != nullptr) {
        call.is_over = true;
        call.observer->on_result(std::move(result));
        return;
    }
    call.result.emplace(std::move(result));
    call.done.signal();
}

// The loop of the caller releases the call, and the observer with it.
void post_result(std::shared_ptr<StreamCall> call, CallResult result) {
    const auto executor = call->caller.executor;
    boost::asio::post(executor, [call = std::move(call), result = std::move(result)]() mutable {
        set_result(*call, std::move(result));
    });
}

bool is_listening(const StreamCall& call) {
    return !call.is_over && !call.result && call.listener != nullptr;
}

bool is_of_agent(const StreamCall& call) {
    return call.listener != nullptr || call.traits.agent != nullptr;
}

}  // namespace

void settle(std::shared_ptr<StreamCall> call, CallResult result) {
    if (call->is_remote) {
        post_result(std::move(call), std::move(result));
    } else {
        set_result(*call, std::move(result));
    }
}

void settle_later(std::shared_ptr<StreamCall> call, CallResult result) {
    if (call->is_remote || call->observer != nullptr) {
        post_result(std::move(call), std::move(result));
    } else {
        set_result(*call, std::move(result));
    }
}

void tell(const std::shared_ptr<StreamCall>& call, Notification notification) {
    if (!call->is_remote) {
        if (is_listening(*call)) {
            call->listener->on_notification(std::move(notification));
        }
        return;
    }
    if (call->notices_under_way.fetch_add(1) >= kMaxNoticesUnderWay) {
        call->notices_under_way.fetch_sub(1);
        return;
    }
    boost::asio::post(call->caller.executor,
                      [call, notification = std::move(notification)]() mutable {
                          call->notices_under_way.fetch_sub(1);
                          if (is_listening(*call)) {
                              call->listener->on_notification(std::move(notification));
                          }
                      });
}

void ask(const std::shared_ptr<StreamCall>& call, Question question) {
    if (!call->is_remote) {
        if (is_listening(*call)) {
            call->listener->on_question(std::move(question));
        }
        return;
    }
    boost::asio::post(call->caller.executor, [call, question = std::move(question)]() mutable {
        if (is_listening(*call)) {
            call->listener->on_question(std::move(question));
        }
    });
}

void StreamCallTable::add(std::shared_ptr<StreamCall> call) {
    const std::uint64_t id = call->id;
    calls_.emplace_hint(calls_.end(), id, std::move(call));
}

std::shared_ptr<StreamCall> StreamCallTable::find(std::uint64_t id) const {
    const auto found = calls_.find(id);
    return found != calls_.end() ? found->second : nullptr;
}

std::shared_ptr<StreamCall> StreamCallTable::find(std::string_view id) const {
    const auto number = number_from(id);
    return number ? find(*number) : nullptr;
}

bool StreamCallTable::remove(std::uint64_t id) {
    return calls_.erase(id) != 0;
}

bool StreamCallTable::end(std::uint64_t id, resilience::TimePoint now) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) {
        return false;
    }
    ended_.add(found->second->traits.agent, now);
    calls_.erase(found);
    return true;
}

std::vector<std::shared_ptr<StreamCall>> StreamCallTable::take_all() {
    std::vector<std::shared_ptr<StreamCall>> all;
    all.reserve(calls_.size());
    for (auto& [id, call] : std::exchange(calls_, {})) {
        all.push_back(std::move(call));
    }
    return all;
}

std::shared_ptr<StreamCall> StreamCallTable::only_one() const {
    return calls_.size() == 1 ? calls_.begin()->second : nullptr;
}

ChosenCall StreamCallTable::chosen(UnnamedMessage what, resilience::TimePoint now) const {
    CallChoice choice{what};
    for (const auto& [id, call] : calls_) {
        if (is_of_agent(*call)) {
            choice.add(CallCandidate{.id = id,
                                     .agent = call->traits.agent,
                                     .waits_for_agent = call->open_questions != 0});
        }
    }
    choice.add(ended_);
    return choice.chosen(now);
}

}  // namespace holdfast::downstream
