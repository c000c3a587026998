#include "downstream/downstream_status.hpp"

namespace holdfast::downstream {

std::string told_list_problems(const DownstreamStatus& status) {
    std::string told;
    for (const ListProblem& problem : status.list_problems) {
        told +=
            (told.empty() ? "" : " ") + std::string{problem.list} + " failed: " + problem.reason;
        told += told.ends_with('.') ? "" : ".";
    }
    return told;
}

}  // namespace holdfast::downstream
