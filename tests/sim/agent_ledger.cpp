#include "sim/agent_ledger.hpp"

#include <algorithm>
#include <array>

// The checks tolerate messages that crossed a cancellation in flight, and everything after the
// agent has disconnected.

namespace holdfast::sim {
namespace {

constexpr std::array<std::string_view, 3> kModernMembers{"resultType", "ttlMs", "cacheScope"};
constexpr std::array<std::int64_t, 3> kModernCodes{-32'020, -32'021, -32'022};
constexpr std::array<std::int64_t, 2> kLegacyCodes{-32'002, -32'042};
constexpr std::string_view kServerInfoKey = "io.modelcontextprotocol/serverInfo";

bool is_elicitation_by_url(const json::object& params) {
    return text_at(params, "mode") == "url";
}

}  // namespace

void AgentLedger::on_sent(const json::object& request, const std::string& mark) {
    const std::string id = json_at(request, "id");
    SentRequest& entry = requests_[id];
    entry.last = request;
    entry.mark = mark;
    entry.last_sent_at = world_.loop.now();
    entry.is_rightful_resume = false;
    ++entry.sent;
    entry.listens += text_at(request, "method") == "subscriptions/listen" ? 1 : 0;
    const json::object meta = object_at(object_at(request, "params"), "_meta");
    if (const std::string token = json_at(meta, "progressToken"); !token.empty()) {
        tokens_[token] = id;
    }
}

void AgentLedger::on_cancelled(const json::value& id) {
    ++requests_[json::serialize(id)].cancelled;
}

void AgentLedger::expect_resumed(const json::value& id) {
    requests_[json::serialize(id)].is_rightful_resume = true;
}

const SentRequest* AgentLedger::find(const json::value& id) const {
    const auto found = requests_.find(json::serialize(id));
    return found != requests_.end() ? &found->second : nullptr;
}

std::vector<json::value> AgentLedger::open_ids() const {
    std::vector<json::value> ids;
    for (const auto& [id, request] : requests_) {
        if (request.is_open() && request.cancelled == 0) {
            ids.push_back(json::parse(id));
        }
    }
    return ids;
}

std::size_t AgentLedger::sent_count() const {
    std::size_t count = 0;
    for (const auto& [id, request] : requests_) {
        count += request.sent;
    }
    return count;
}

void AgentLedger::on_received(const std::string& text, const json::object& message) {
    const bool has_method = message.contains("method");
    if (has_method && message.contains("id")) {
        check_marks(text, {});
        on_question(message);
    } else if (has_method) {
        on_notification(text, message);
    } else {
        on_response(text, message);
    }
}

void AgentLedger::on_response(const std::string& text, const json::object& message) {
    const json::value* id = message.if_contains("id");
    if (id == nullptr || id->is_null()) {
        if (++answers_without_id_ > unreadable_) {
            complain("got an error without an id, and all it sent was readable", message);
        }
        return;
    }
    const auto found = requests_.find(json::serialize(*id));
    if (found == requests_.end()) {
        complain("got an answer to an id that it never used", message);
        return;
    }
    SentRequest& request = found->second;
    if (++request.answered > request.sent) {
        complain("got one answer too many", message);
        return;
    }
    const Duration took = world_.loop.now() - request.last_sent_at;
    if (!request.is_listen() && took > world_.limits.answer_limit()) {
        complain("got an answer too late", message);
    }
    if (request.sent > 1) {
        check_marks(text, {});
        return;  // it is unknown which of them is answered
    }
    // Some servers do not say which call a question is about, and ask this agent in any of its own.
    const bool is_question =
        text_at(object_at(message, "result"), "resultType") == "input_required";
    check_marks(text, is_question ? std::string{} : request.mark);
    if (message.contains("error")) {
        check_error(request, object_at(message, "error"));
    } else {
        check_result(request, object_at(message, "result"));
    }
}

void AgentLedger::check_result(const SentRequest& request, const json::object& result) const {
    if (traits_.is_modern()) {
        const std::string type = text_at(result, "resultType");
        if (type == "input_required") {
            check_input_required(result);
        } else if (type != "complete") {
            complain("got a result without its type", result);
        }
        return;
    }
    const bool is_modern =
        std::ranges::any_of(kModernMembers, [&](auto key) { return result.contains(key); }) ||
        object_at(result, "_meta").contains(kServerInfoKey);
    if (is_modern) {
        complain("got members of the modern era", result);
    }
    const bool is_handshake = text_at(request.last, "method") == "initialize";
    if (is_handshake && text_at(result, "protocolVersion") != mcp::text_of(traits_.revision)) {
        complain("was not given the revision that it asked for", result);
    }
}

void AgentLedger::check_input_required(const json::object& result) const {
    const json::object questions = object_at(result, "inputRequests");
    if (questions.empty() && !result.contains("requestState")) {
        complain("is asked for nothing at all", result);
    }
    for (const auto& [key, question] : questions) {
        if (!question.is_object() || !can_be_asked(question.get_object())) {
            complain("is asked for what it cannot do", result);
        }
    }
}

void AgentLedger::check_error(const SentRequest& request, const json::object& error) const {
    const json::value* code = error.if_contains("code");
    const std::int64_t number = code != nullptr && code->is_int64() ? code->get_int64() : 0;
    const bool is_foreign = traits_.is_modern()
                                ? std::ranges::find(kLegacyCodes, number) != kLegacyCodes.end()
                                : std::ranges::find(kModernCodes, number) != kModernCodes.end();
    if (number == 0 || is_foreign) {
        complain("got an error code that is not of its era", error);
    }
    const bool blames_state = text_at(error, "message").find("requestState") != std::string::npos;
    if (request.is_rightful_resume && blames_state) {
        complain("could not resume a parked call", error);
    }
}

bool AgentLedger::can_be_asked(const json::object& question) const {
    const std::string method = text_at(question, "method");
    if (method == "elicitation/create") {
        const json::value* ability = traits_.capabilities.if_contains("elicitation");
        const bool by_url = is_elicitation_by_url(object_at(question, "params"));
        return ability != nullptr && (!by_url || ability->get_object().contains("url"));
    }
    return (method == "sampling/createMessage" && traits_.capabilities.contains("sampling")) ||
           (method == "roots/list" && traits_.capabilities.contains("roots"));
}

void AgentLedger::on_question(const json::object& message) {
    if (traits_.is_modern()) {
        complain("is modern and got a request", message);
    } else if (!questions_.insert(json_at(message, "id")).second) {
        complain("got two requests with the same id", message);
    } else if (!can_be_asked(message)) {
        complain("got a request for what it cannot do", message);
    }
}

void AgentLedger::on_notification(const std::string& text, const json::object& message) {
    const std::string method = text_at(message, "method");
    const json::object params = object_at(message, "params");
    if (method == "notifications/progress") {
        on_progress(text, params);
        return;
    }
    check_marks(text, {});
    if (method == "notifications/cancelled") {
        if (!questions_.contains(json_at(params, "requestId"))) {
            complain("receives the cancellation of a request that it never got", message);
        }
    } else if (method == "notifications/subscriptions/acknowledged") {
        const SentRequest* listen = open_listen_of(params);
        if (listen == nullptr) {
            complain("got an acknowledgement without a listen", message);
        }
        acknowledged_.insert(json_at(object_at(params, "_meta"), kSubscriptionKey));
    } else if (traits_.is_modern() && method != "notifications/message") {
        on_subscription_notice(method, params);
    } else if (method == "notifications/resources/updated" &&
               !uris_.contains(text_at(params, "uri"))) {
        complain("is notified of a resource that it did not subscribe to", message);
    }
}

void AgentLedger::on_progress(const std::string& text, const json::object& params) {
    const std::string token = json_at(params, "progressToken");
    const auto found = tokens_.find(token);
    if (found == tokens_.end()) {
        complain("got progress with a token that it never used", params);
        return;
    }
    const SentRequest& request = requests_[found->second];
    if (!request.is_open()) {
        complain("got progress after the answer", params);
    }
    if (request.sent == 1) {
        check_marks(text, request.mark);
    }
    const json::value* value = params.if_contains("progress");
    const double progress = value != nullptr ? value->to_number<double>() : 0;
    const auto [last, is_first] = last_progress_.try_emplace(token, progress);
    if (!is_first && progress <= last->second) {
        complain("got progress that does not grow", params);
    }
    last->second = progress;
}

void AgentLedger::on_subscription_notice(const std::string& method, const json::object& params) {
    const SentRequest* listen = open_listen_of(params);
    if (listen == nullptr) {
        complain("got " + method + " without a listen", params);
        return;
    }
    if (!acknowledged_.contains(json_at(object_at(params, "_meta"), kSubscriptionKey))) {
        complain("got " + method + " ahead of the acknowledgement", params);
    }
    if (listen->sent > 1) {
        return;  // it is unknown which of the filters applies
    }
    const json::object filter = object_at(object_at(listen->last, "params"), "notifications");
    const std::string kind =
        method.substr(method.find('/') + 1, method.rfind('/') - method.find('/') - 1);
    const bool is_wanted = method == "notifications/resources/updated"
                               ? filter.contains("resourceSubscriptions")
                               : filter.contains(kind + "ListChanged");
    if (!is_wanted) {
        complain("got " + method + ", which it did not want", params);
    }
}

const SentRequest* AgentLedger::open_listen_of(const json::object& params) const {
    const auto found = requests_.find(json_at(object_at(params, "_meta"), kSubscriptionKey));
    const bool is_listen =
        found != requests_.end() && found->second.is_listen() && found->second.is_open();
    return is_listen ? &found->second : nullptr;
}

/// Checks that every mark in a message belongs to this agent and, if given, equals `allowed`.
void AgentLedger::check_marks(const std::string& text, const std::string& allowed) const {
    const std::string own = "<" + traits_.name + ">";
    for (std::size_t at = text.find("<A"); at != std::string::npos; at = text.find("<A", at + 1)) {
        if (text.compare(at, own.size(), own) != 0) {
            world_.complaints.add(traits_.name + " got what is another agent's: " + text);
            return;
        }
        std::size_t end = at + own.size();
        while (end < text.size() && (text[end] == '#' || (text[end] >= '0' && text[end] <= '9'))) {
            ++end;
        }
        const std::string mark = text.substr(at, end - at);
        if (!allowed.empty() && mark != own && mark != allowed) {
            world_.complaints.add(traits_.name + " got what belongs to another request than " +
                                  allowed + ": " + text);
            return;
        }
    }
}

void AgentLedger::check_settled() const {
    for (const auto& [id, request] : requests_) {
        const bool is_owed = request.answered + request.cancelled + request.listens < request.sent;
        if (is_owed) {
            complain("never got an answer", request.last);
        }
    }
    if (answers_without_id_ < unreadable_) {
        world_.complaints.add(traits_.name + " got no error for an unreadable message");
    }
}

void AgentLedger::complain(const std::string& words, const json::object& about) const {
    world_.complaints.add(traits_.name + " " + words + ": " + json::serialize(about));
}

}  // namespace holdfast::sim
