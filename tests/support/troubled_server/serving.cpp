#include "support/troubled_server/serving.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <mutex>
#include <thread>

namespace holdfast::troubled {
namespace {

namespace json = boost::json;

constexpr int kCrashCode = 3;

std::string quoted(std::string_view text) {
    return json::serialize(json::string{text});
}

std::string answer(const std::string& id, std::string_view result) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + std::string{result} + "}";
}

std::string error_answer(const std::string& id, const std::string& code, std::string_view text) {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":)" + code + R"(,"message":)" +
           quoted(text) + "}}";
}

std::string text_result(std::string_view text, bool is_error) {
    return R"({"content":[{"type":"text","text":)" + quoted(text) + "}]" +
           (is_error ? R"(,"isError":true})" : "}");
}

/// Performs the scripted misbehaviour. Returns false if the verb is not one of these.
bool misbehave(const Action& action, const std::string& good, ReplyPath& way) {
    if (action.verb == "die") {
        std::_Exit(kCrashCode);
    }
    if (action.verb == "halfdie") {
        way.send_half(good);
        std::_Exit(kCrashCode);
    }
    if (action.verb == "hang") {
        std::this_thread::sleep_for(std::chrono::hours{1});
    } else if (action.verb == "junk") {
        way.send_junk();
    } else if (action.verb == "noisy") {
        way.send_junk();
        way.send(good);
    } else if (action.verb == "half") {
        way.send_half(good);
    } else if (action.verb == "trickle") {
        way.trickle(good);
    } else if (action.verb == "close") {
        way.close();
    } else {
        return false;
    }
    return true;
}

/// Waits for the end of the calls that arrived before, and then for the duration of this one.
void take_turn(std::chrono::milliseconds duration) {
    static std::mutex lock;
    static std::chrono::steady_clock::time_point free_at;
    std::unique_lock held{lock};
    free_at = std::max(free_at, std::chrono::steady_clock::now()) + duration;
    const auto my_end = free_at;
    held.unlock();
    std::this_thread::sleep_until(my_end);
}

void act(const Action& action, const std::string& id, ReplyPath& way) {
    const std::string good = answer(id, text_result(action.words, false));
    if (misbehave(action, good, way)) {
        return;
    }
    const Action rest = read_action(action.words);
    if (action.verb == "late") {
        std::this_thread::sleep_for(std::chrono::milliseconds{std::stoi(rest.verb)});
        act(read_action(rest.words), id, way);
    } else if (action.verb == "serial") {
        take_turn(std::chrono::milliseconds{std::stoi(rest.verb)});
        act(read_action(rest.words), id, way);
    } else if (action.verb == "error") {
        way.send(answer(id, text_result(action.words, true)));
    } else if (action.verb == "result") {
        way.send(answer(id, action.words));
    } else if (action.verb == "rpc") {
        way.send(error_answer(id, rest.verb, rest.words));
    } else if (action.verb == "status") {
        const Action after = read_action(rest.words);
        way.send_status(std::stoi(rest.verb), after.verb == "-" ? "" : after.verb, after.words);
    } else if (action.verb == "invalid") {
        way.send(R"({"jsonrpc":"2.0","id":)" + id + "}");
    } else if (action.verb == "wrongid") {
        way.send(answer("987654", text_result(action.words, false)));
    } else {
        way.send(good);
        if (action.verb == "twice") {
            way.send(good);
        }
    }
}

void answer_request(Script& script, const std::string& method, const std::string& id,
                    ReplyPath& way) {
    if (method == "initialize") {
        way.send(answer(id, R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},)"
                            R"("serverInfo":{"name":"troubled","version":"1"}})"));
    } else if (method == "tools/list") {
        way.send(answer(id, R"({"tools":)" + script.tools() + "}"));
    } else if (method == "ping") {
        way.send(answer(id, "{}"));
    } else {
        way.send(error_answer(id, "-32601", "Method not found"));
    }
}

}  // namespace

void serve_message(Script& script, std::string_view message, ReplyPath& way) {
    json::error_code error;
    const json::value parsed = json::parse(message, error);
    if (error || !parsed.is_object() || !parsed.as_object().contains("method")) {
        return;
    }
    const json::object& request = parsed.as_object();
    const std::string method{request.at("method").as_string()};
    if (!request.contains("id")) {
        if (method == "notifications/cancelled") {
            script.note_cancellation();
        }
        return;
    }
    const std::string id = json::serialize(request.at("id"));
    if (method != "tools/call") {
        answer_request(script, method, id, way);
        return;
    }
    const json::object& params = request.at("params").as_object();
    const json::value* const arguments = params.if_contains("arguments");
    act(script.on_call(params.at("name").as_string(),
                       arguments == nullptr ? "" : json::serialize(*arguments)),
        id, way);
}

}  // namespace holdfast::troubled
