#include "telemetry/counters/label_table.hpp"

#include <algorithm>

#include "telemetry/counters/call_look.hpp"

namespace holdfast::telemetry {

LabelTable::LabelTable(const LabelLimits& limits) : limits_(limits) {}

LabelTable::Place LabelTable::place_of(const ToolLabelView& label) {
    return labels_.with([&](Labels& all) -> Place {
        if (const auto found = all.index.find(label); found != all.index.end()) {
            return {.index = found->second, .is_own = true};
        }
        if (label.tool != kOther && all.tool_count < limits_.max_tools) {
            ++all.tool_count;
            return {.index = added(all, label), .is_own = true};
        }
        const ToolLabelView of_server{label.server, kOther};
        if (const auto found = all.index.find(of_server); found != all.index.end()) {
            return {.index = found->second};
        }
        if (all.other_count < limits_.max_servers) {
            ++all.other_count;
            return {.index = added(all, of_server)};
        }
        const ToolLabelView of_all{kOther, kOther};
        const auto found = all.index.find(of_all);
        return {.index = found != all.index.end() ? found->second : added(all, of_all)};
    });
}

std::size_t LabelTable::added(Labels& all, const ToolLabelView& label) {
    const std::size_t index = all.labels.size();
    all.labels.push_back({.server = std::string{label.server}, .tool = std::string{label.tool}});
    all.index.emplace(all.labels.back(), index);
    return index;
}

std::size_t LabelTable::outcome_index_of(std::string_view outcome) {
    return labels_.with([&](Labels& all) -> std::size_t {
        const auto index_in = [&all](std::string_view name) {
            return static_cast<std::size_t>(std::ranges::find(all.outcomes, name) -
                                            all.outcomes.begin());
        };
        const std::size_t known = index_in(outcome);
        if (known < all.outcomes.size()) {
            return known;
        }
        // The last slot is for all outcomes beyond the limit.
        const bool has_slot = all.outcomes.size() + 1 < limits_.max_outcomes;
        const std::string_view name = has_slot ? outcome : kOther;
        const std::size_t index = index_in(name);
        if (index == all.outcomes.size()) {
            all.outcomes.emplace_back(name);
        }
        return index;
    });
}

std::vector<ToolLabel> LabelTable::labels() const {
    return labels_.with([](const Labels& all) { return all.labels; });
}

std::vector<std::string> LabelTable::outcomes() const {
    return labels_.with([](const Labels& all) { return all.outcomes; });
}

}  // namespace holdfast::telemetry
