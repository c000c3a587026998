#include "telemetry/counters/label_table.hpp"

#include <algorithm>

#include "telemetry/counters/call_look.hpp"

namespace holdfast::telemetry {

LabelTable::LabelTable(const LabelLimits& limits) : limits_(limits) {}

LabelTable::Place LabelTable::place_of(const ToolLabelView& label) {
    return book_.with([&](Book& book) -> Place {
        if (const auto found = book.index.find(label); found != book.index.end()) {
            return {.index = found->second, .is_own = true};
        }
        if (label.tool != kOther && book.tool_count < limits_.max_tools) {
            ++book.tool_count;
            return {.index = added(book, label), .is_own = true};
        }
        const ToolLabelView of_server{label.server, kOther};
        if (const auto found = book.index.find(of_server); found != book.index.end()) {
            return {.index = found->second};
        }
        if (book.other_count < limits_.max_servers) {
            ++book.other_count;
            return {.index = added(book, of_server)};
        }
        const ToolLabelView of_all{kOther, kOther};
        const auto found = book.index.find(of_all);
        return {.index = found != book.index.end() ? found->second : added(book, of_all)};
    });
}

std::size_t LabelTable::added(Book& book, const ToolLabelView& label) {
    const std::size_t index = book.labels.size();
    book.labels.push_back({.server = std::string{label.server}, .tool = std::string{label.tool}});
    book.index.emplace(book.labels.back(), index);
    return index;
}

std::size_t LabelTable::outcome_index_of(std::string_view outcome) {
    return book_.with([&](Book& book) -> std::size_t {
        const auto index_in = [&book](std::string_view name) {
            return static_cast<std::size_t>(std::ranges::find(book.outcomes, name) -
                                            book.outcomes.begin());
        };
        const std::size_t known = index_in(outcome);
        if (known < book.outcomes.size()) {
            return known;
        }
        // The last place is for all that find none.
        const bool has_room = book.outcomes.size() + 1 < limits_.max_outcomes;
        const std::string_view name = has_room ? outcome : kOther;
        const std::size_t index = index_in(name);
        if (index == book.outcomes.size()) {
            book.outcomes.emplace_back(name);
        }
        return index;
    });
}

std::vector<ToolLabel> LabelTable::labels() const {
    return book_.with([](const Book& book) { return book.labels; });
}

std::vector<std::string> LabelTable::outcomes() const {
    return book_.with([](const Book& book) { return book.outcomes; });
}

}  // namespace holdfast::telemetry
