#include "support/fixture_server/session.hpp"

#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/parse_options.hpp>

#include "jsonrpc/json_text.hpp"
#include "support/fixture_server/call.hpp"

namespace holdfast::fixture {

bool Session::add(const std::shared_ptr<Call>& call) {
    if (calls_.size() >= kMaxCalls) {
        return false;
    }
    calls_.insert_or_assign(call->id(), call);
    return true;
}

void Session::remove(const Call& call) {
    const auto found = calls_.find(call.id());
    if (found != calls_.end() && found->second.get() == &call) {
        calls_.erase(found);
    }
}

void Session::cancel(std::string_view id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) {
        return;  // finished already, which is not the client's fault
    }
    const std::shared_ptr<Call> call = found->second;
    call->cancel();
}

void Session::cancel_all() {
    std::vector<std::shared_ptr<Call>> calls;
    calls.reserve(calls_.size());
    for (const auto& [id, call] : calls_) {
        calls.push_back(call);
    }
    for (const auto& call : calls) {
        call->cancel();
    }
}

std::string Session::expect_answer(AnswerListener listener) {
    const std::string id = jsonrpc::quoted_text("fixture-" + std::to_string(next_request_++));
    listeners_.emplace(id, std::move(listener));
    return id;
}

void Session::on_response(const jsonrpc::Message& message) {
    const auto found = listeners_.find(message.id);
    if (found == listeners_.end()) {
        return;
    }
    const AnswerListener listener = std::move(found->second);
    listeners_.erase(found);
    listener(object_of(message.body.text()), message.kind == jsonrpc::MessageKind::error);
}

boost::json::object object_of(std::string_view json) {
    boost::json::parse_options options;
    options.max_depth = 512;
    boost::json::error_code error;
    boost::json::value value = boost::json::parse(json, error, {}, options);
    boost::json::object* object = error ? nullptr : value.if_object();
    return object != nullptr ? std::move(*object) : boost::json::object{};
}

}  // namespace holdfast::fixture
