#include "support/fixture_server/toolbox.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

namespace holdfast::fixture {
namespace {

constexpr std::string_view kCursorMark = "after-";

std::optional<std::size_t> first_index(std::string_view cursor) {
    if (cursor.empty()) {
        return 0;
    }
    if (!cursor.starts_with(kCursorMark)) {
        return std::nullopt;
    }
    cursor.remove_prefix(kCursorMark.size());
    std::size_t index = 0;
    const auto [rest, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), index);
    return error == std::errc{} && rest == cursor.data() + cursor.size() ? std::optional{index}
                                                                         : std::nullopt;
}

}  // namespace

void Toolbox::add_all(std::vector<Tool> tools) {
    for (Tool& tool : tools) {
        std::ignore = try_add(std::move(tool));  // the groups have no name in common
    }
}

bool Toolbox::try_add(Tool tool) {
    if (tool.name.empty() || tools_.size() >= kMaxTools || index_of_.contains(tool.name)) {
        return false;
    }
    index_of_.emplace(tool.name, tools_.size());
    tools_.push_back(std::move(tool));
    return true;
}

bool Toolbox::remove(std::string_view name) {
    const auto found = index_of_.find(name);
    if (found == index_of_.end()) {
        return false;
    }
    const std::size_t removed = found->second;
    tools_.erase(tools_.begin() + static_cast<std::ptrdiff_t>(removed));
    index_of_.erase(found);
    for (auto& [other, index] : index_of_) {
        index -= index > removed ? 1 : 0;
    }
    return true;
}

const Tool* Toolbox::find(std::string_view name) const {
    const auto found = index_of_.find(name);
    return found != index_of_.end() ? &tools_[found->second] : nullptr;
}

Outcome Toolbox::page(std::string_view cursor) const {
    const auto begin = first_index(cursor);
    if (!begin || (*begin > 0 && *begin >= tools_.size())) {
        return invalid_params("Invalid params: unknown cursor");
    }
    const std::size_t end = std::min(tools_.size(), *begin + kPageSize);
    std::string result = R"({"tools":[)";
    for (std::size_t index = *begin; index < end; ++index) {
        result += (index > *begin ? "," : "") + tools_[index].definition;
    }
    result += "]";
    if (end < tools_.size()) {
        result += R"(,"nextCursor":")" + std::string{kCursorMark} + std::to_string(end) + "\"";
    }
    return Answer{.result = result + "}"};
}

}  // namespace holdfast::fixture
