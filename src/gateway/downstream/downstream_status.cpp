#include "downstream/downstream_status.hpp"

namespace holdfast::downstream {

std::string operator_reason(std::string reason, std::string_view log_excerpt) {
    if (log_excerpt.empty()) {
        return reason;
    }
    if (reason.ends_with('.')) {
        reason.pop_back();
    }
    reason.append("; its last log lines: ").append(log_excerpt);
    return reason.ends_with('.') ? reason : reason + ".";
}

std::string list_problems_text(const DownstreamStatus& status) {
    std::string text;
    for (const ListProblem& problem : status.list_problems) {
        text +=
            (text.empty() ? "" : " ") + std::string{problem.list} + " failed: " + problem.reason;
        text += text.ends_with('.') ? "" : ".";
    }
    return text;
}

}  // namespace holdfast::downstream
