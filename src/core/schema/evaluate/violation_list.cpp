#include "schema/evaluate/violation_list.hpp"

#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "schema/advice/describe.hpp"
#include "schema/advice/expectation.hpp"
#include "schema/compile/json_pointer.hpp"

namespace holdfast::schema {
namespace {

std::string pointer_to(const Place* place) {
    std::vector<const Place*> chain;
    for (; place != nullptr; place = place->outer) {
        chain.push_back(place);
    }
    std::string pointer;
    for (const Place* const step : std::views::reverse(chain)) {
        if (step->is_key) {
            append_token(pointer, step->key);
        } else {
            append_token(pointer, step->index);
        }
    }
    return pointer;
}

bool is_hidden(const Place* place, const ValidateLimits& limits) {
    for (; place != nullptr && limits.hides_member != nullptr; place = place->outer) {
        if (place->is_key && limits.hides_member(place->key)) {
            return true;
        }
    }
    return false;
}

}  // namespace

void ViolationList::add(const Failure& failure) {
    if (report_.violations.size() >= limits_.max_violations) {
        report_.truncated = true;
        return;
    }
    const std::string_view keyword = failed_keyword(program_, failure);
    const bool is_boolean = failure.instruction.op == Op::never;
    const bool shows_value = limits_.show_values && !is_hidden(failure.place, limits_);
    const auto cut = [this](const std::string& text) {
        return shortened(text, limits_.max_text_bytes);
    };
    report_.violations.push_back({
        .instance = cut(pointer_to(failure.place)),
        .keyword = std::string{keyword},
        .schema_location =
            cut(location_of(program_, failure.node, is_boolean ? std::string_view{} : keyword)),
        .expected = cut(expectation(program_, failure)),
        .got = cut(finding(program_, failure, shows_value)),
        .advice = cut(advice(program_, failure)),
    });
}

}  // namespace holdfast::schema
