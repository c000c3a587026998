#pragma once

#include <string>
#include <string_view>

namespace holdfast::test {

inline constexpr std::string_view kCallIdKey = R"("dev.holdfast/callId":")";

/// Returns the call id of an answer; empty if it has none.
inline std::string call_id_in(std::string_view answer) {
    const std::size_t key = answer.find(kCallIdKey);
    if (key == std::string_view::npos) {
        return {};
    }
    const std::size_t start = key + kCallIdKey.size();
    return std::string{answer.substr(start, answer.find('"', start) - start)};
}

/// Returns an answer as its server gave it, without the gateway's call id.
inline std::string without_call_id(std::string answer) {
    const std::string id = call_id_in(answer);
    if (id.empty()) {
        return answer;
    }
    const auto cut = [&answer](const std::string& text) {
        const std::size_t at = answer.find(text);
        if (at == std::string::npos) {
            return false;
        }
        answer.erase(at, text.size());
        return true;
    };
    const std::string member = std::string{kCallIdKey} + id + "\"";
    // Either alone in a `_meta` that the gateway added, or before the server's own members.
    if (!cut("\"_meta\":{" + member + "},") && !cut("\"_meta\":{" + member + "}") &&
        !cut(member + ",")) {
        cut(member);
    }
    return answer;
}

}  // namespace holdfast::test
