#include "downstream/downstream_status.hpp"

#include <cstddef>

namespace holdfast::downstream {

std::string operator_reason(std::string reason, std::string_view log_excerpt) {
    if (log_excerpt.empty()) {
        return reason;
    }
    if (reason.ends_with('.')) {
        reason.pop_back();
    }
    reason.append("; it logged: ").append(log_excerpt);
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

std::string list_faults_text(const ListFaults& list) {
    constexpr std::size_t kShown = 3;
    std::string text;
    for (const std::string& fault : list.faults.texts) {
        if (&fault - list.faults.texts.data() == kShown) {
            break;
        }
        text += (text.empty() ? "" : "; ") + fault;
    }
    if (list.faults.entries > kShown) {
        text += "; and " + std::to_string(list.faults.entries - kShown) + " more";
    }
    return text;
}

std::string list_faults_text(const DownstreamStatus& status) {
    std::string text;
    for (const ListFaults& list : status.list_faults) {
        text += (text.empty() ? "" : " ") + std::string{list.list} + ": " + list_faults_text(list) +
                ".";
    }
    return text;
}

}  // namespace holdfast::downstream
