#include "downstream/stream/stream_call.hpp"

#include <boost/asio/post.hpp>
#include <charconv>
#include <utility>

namespace holdfast::downstream {
namespace {

/// Limit for notifications of one call that wait on another loop.
constexpr std::size_t kMaxNoticesUnderWay = 256;

void set_result(StreamCall& call, CallResult result) {
    if (!call.is_over && !call.result) {
        call.result.emplace(std::move(result));
        call.done.signal();
    }
}

bool is_listening(const StreamCall& call) {
    return !call.is_over && !call.result && call.listener != nullptr;
}

bool is_of_agent(const StreamCall& call) {
    return call.listener != nullptr || call.request.agent != nullptr;
}

bool is_same_session(const StreamCall& left, const StreamCall& right) {
    const AgentIdentity* one = left.request.agent.get();
    const AgentIdentity* other = right.request.agent.get();
    return one != nullptr && other != nullptr && one->is_session && other->is_session &&
           one->key == other->key;
}

}  // namespace

void settle(const std::shared_ptr<StreamCall>& call, CallResult result) {
    if (!call->is_remote) {
        set_result(*call, std::move(result));
        return;
    }
    boost::asio::post(call->caller.executor, [call, result = std::move(result)]() mutable {
        set_result(*call, std::move(result));
    });
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

Meant StreamCallTable::meant() const {
    Meant meant;
    for (const auto& [id, call] : calls_) {
        if (!is_of_agent(*call)) {
            continue;
        }
        if (meant.call && !is_same_session(*meant.call, *call)) {
            return {.kind = Meant::Kind::several_agents};
        }
        meant = {.kind = Meant::Kind::one_agent, .call = call};
    }
    return meant;
}

std::optional<std::uint64_t> number_from(std::string_view json) {
    std::uint64_t number = 0;
    const char* const begin = json.data();
    const char* const end = begin + json.size();
    const auto [stopped, error] = std::from_chars(begin, end, number);
    const bool is_whole = error == std::errc{} && stopped == end;
    return is_whole ? std::optional{number} : std::nullopt;
}

}  // namespace holdfast::downstream
