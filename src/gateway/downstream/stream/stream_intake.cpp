// Handles each message of the downstream: answers go to their calls by id, progress goes by token,
// and everything else to the agent that it can be about.
//
// A legacy downstream does not say which call a question or a log line belongs to; `CallChoice`
// chooses one. Without a choice the message goes to the listener of the link, which knows whether
// the link belongs to one agent.
//
// Everything passed to a listener is copied out of the message first, because the listener may use
// the same reader and may destroy the link.

#include <charconv>
#include <string>
#include <utility>

#include "downstream/http_fault.hpp"
#include "downstream/stream/stream_link.hpp"
#include "downstream/wire_text.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "mcp/protocol_error.hpp"

namespace holdfast::downstream {
namespace {

using jsonrpc::Message;
using jsonrpc::MessageKind;
using jsonrpc::PaddedText;

constexpr std::string_view kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";
/// More than is ever shown: secrets must be removed before the quote is cut further.
constexpr std::size_t kQuotedBytes = 4'096;

bool is_power_of_ten(std::uint64_t count) {
    while (count >= 10 && count % 10 == 0) {
        count /= 10;
    }
    return count == 1;
}

PaddedText padded(std::string_view json) {
    std::string text;
    text.reserve(json.size() + PaddedText::kPadding);
    text.append(json);
    return PaddedText{std::move(text)};
}

Notification copied(const Message& notification) {
    return {.method = std::string{notification.method},
            .params = std::string{notification.body.text()}};
}

/// Removes the id of the gateway's own subscription, and a `_meta` that is empty without it.
Notification without_subscription(const Message& notification) {
    const std::string meta = jsonrpc::ObjectEdit{notification.meta}.remove(kSubscriptionKey).text();
    jsonrpc::ObjectEdit params{notification.body};
    meta == "{}" ? params.remove("_meta") : params.set("_meta", meta);
    return {.method = std::string{notification.method}, .params = params.text()};
}

bool is_about_lists(std::string_view method) {
    return method.ends_with("/list_changed") || method == "notifications/resources/updated";
}

bool is_question(std::string_view method) {
    return method == "sampling/createMessage" || method == "elicitation/create" ||
           method == "roots/list";
}

CallFault broken_answer(CallFault::Kind kind, std::string message) {
    return {.kind = kind, .message = std::move(message), .delivery = resilience::Delivery::sent};
}

}  // namespace

void StreamLink::take(std::string_view json) {
    PaddedText text = padded(json);
    if (jsonrpc::is_batch(text.view()) && mcp::allows_batches(negotiated_.revision)) {
        take_batch(text);
    } else {
        take_message(std::move(text));
    }
}

void StreamLink::take_batch(const PaddedText& text) {
    const auto messages = jsonrpc::thread_reader().split_batch(text);
    if (!messages) {
        on_junk(messages.error(), text.view());
        return;
    }
    for (const std::string_view message : *messages) {
        take_message(padded(message));
    }
}

void StreamLink::take_message(PaddedText text) {
    const auto message = jsonrpc::thread_reader().read(text);
    if (!message) {
        on_junk(message.error(), text.view());
        return;
    }
    switch (message->kind) {
        case MessageKind::result:
        case MessageKind::error:
            on_response(std::move(text), *message);
            break;
        case MessageKind::request:
            on_request(*message);
            break;
        case MessageKind::notification:
            on_notification(*message);
            break;
    }
}

void StreamLink::on_dropped(net::NetErrc reason) {
    if (const auto call = calls_.only_one()) {
        fail(call,
             reason == net::NetErrc::overloaded
                 ? broken_answer(CallFault::Kind::overloaded, "The gateway is out of buffer space.")
                 : broken_answer(CallFault::Kind::too_large,
                                 "The server sent a message that is over the size limit."));
    }
}

void StreamLink::on_junk(const jsonrpc::ReadFault& fault, std::string_view json) {
    if (const auto call = failed_by(fault)) {
        CallFault why = broken_answer(CallFault::Kind::malformed,
                                      "The server sent an invalid message. " + fault.message + ".");
        why.brief = fault.code == jsonrpc::kParseError ? "invalid JSON from the server"
                                                       : "invalid JSON-RPC from the server";
        fail(call, std::move(why));
        return;
    }
    ++junk_count_;
    last_junk_ = cleaned_excerpt(json, kQuotedBytes);
    tell_junk();
}

/// Returns the call that an invalid message fails; null if the message is skipped.
std::shared_ptr<StreamCall> StreamLink::failed_by(const jsonrpc::ReadFault& junk) const {
    if (auto named = calls_.find(std::string_view{junk.id})) {
        return named;
    }
    auto only = calls_.only_one();
    if (!only) {
        return nullptr;
    }
    const bool is_handshake = !only->handshake_text.empty();
    const JunkRule rule = is_handshake ? only->handshake_junk : options_.link.junk;
    return rule == JunkRule::fail ? only : nullptr;
}

void StreamLink::tell_junk() {
    const auto listener = listener_.lock();
    if (listener && is_power_of_ten(junk_count_)) {
        listener->on_junk({.count = junk_count_, .quote = last_junk_});
    }
}

void StreamLink::on_response(PaddedText text, const Message& response) {
    // An error without an id is about a request that the downstream could not parse.
    auto call = response.id.empty() ? calls_.only_one() : calls_.find(response.id);
    if (call) {
        calls_.end(call->id, home_.timekeeper->now());
        has_answered_ = has_answered_ || call->handshake_text.empty();
        settle(std::move(call), answer_from(std::move(text), response, negotiated_.era()));
        return;
    }
    const auto id = number_from(response.id);
    if (id && listening_) {
        listening_->on_ended(*id,
                             answer_from(std::move(text), response, mcp::Era::modern).error_code);
    }
}

void StreamLink::on_request(const Message& request) {
    if (negotiated_.era() == mcp::Era::modern) {
        desk_->refuse(request.id, mcp::kMethodNotFound,
                      "A server of this protocol revision sends no requests.");
    } else if (request.method == "ping") {
        desk_->answer_ping(request.id);
    } else if (!is_question(request.method)) {
        desk_->refuse(request.id, mcp::kMethodNotFound,
                      "Method not found: " + std::string{request.method});
    } else {
        on_question(request);
    }
}

void StreamLink::on_question(const Message& request) {
    const auto call = chosen(UnnamedMessage::question);
    auto question = desk_->opened(request, call);
    if (!question) {
        return;
    }
    if (call) {
        ask(call, std::move(*question));
    } else if (const auto listener = listener_.lock()) {
        listener->on_question(std::move(*question));
    }
}

void StreamLink::on_notification(const Message& notification) {
    if (notification.method == "notifications/progress") {
        on_progress(notification);
    } else if (notification.method == "notifications/cancelled") {
        on_cancelled(notification);
    } else if (const auto id = notification.meta.find(kSubscriptionKey); id && listening_) {
        on_subscription(*id, notification);
    } else if (is_about_lists(notification.method)) {
        tell_link(copied(notification));
    } else {
        pass_on(copied(notification));
    }
}

void StreamLink::on_progress(const Message& notification) {
    const auto token = notification.body.find("progressToken");
    const auto call = token ? calls_.find(*token) : nullptr;
    if (!call || !call->traits.wants_progress) {
        return;  // late or unsolicited
    }
    const std::string_view text = notification.body.find("progress").value_or("");
    double progress = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), progress);
    if (error != std::errc{} || progress <= call->last_progress) {
        return;
    }
    call->last_progress = progress;
    tell(call, copied(notification));
}

void StreamLink::on_cancelled(const Message& notification) {
    const auto id = notification.body.find("requestId");
    if (!id) {
        return;
    }
    desk_->withdraw(*id);
    const auto number = number_from(*id);
    if (number && listening_) {
        listening_->on_ended(*number, 0);
    }
}

void StreamLink::on_subscription(std::string_view id, const Message& notification) {
    const auto number = number_from(id);
    if (!number) {
        return;
    }
    if (notification.method != "notifications/subscriptions/acknowledged") {
        if (listening_->forwards(*number)) {
            tell_link(without_subscription(notification));
        }
        return;
    }
    if (listening_->on_acknowledged(*number)) {
        for (const std::string_view kind : {"tools", "prompts", "resources"}) {
            tell_link({.method = "notifications/" + std::string{kind} + "/list_changed"});
        }
    }
}

/// Passes a notification to the agent that is meant.
void StreamLink::pass_on(Notification notification) {
    if (const auto call = chosen(UnnamedMessage::log)) {
        tell(call, std::move(notification));
    } else {
        tell_link(std::move(notification));
    }
}

std::shared_ptr<StreamCall> StreamLink::chosen(UnnamedMessage what) const {
    const ChosenCall found = calls_.chosen(what, home_.timekeeper->now());
    return found.kind == ChosenCall::Kind::call ? calls_.find(found.call.id) : nullptr;
}

void StreamLink::fail(const std::shared_ptr<StreamCall>& call, CallFault fault) {
    calls_.end(call->id, home_.timekeeper->now());
    settle_later(call, std::move(fault));
}

void StreamLink::tell_link(Notification notification) {
    if (const auto listener = listener_.lock()) {
        listener->on_notification(std::move(notification));
    }
}

}  // namespace holdfast::downstream
