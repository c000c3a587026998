#include "downstream/downstream_status.hpp"

namespace holdfast::downstream {

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
