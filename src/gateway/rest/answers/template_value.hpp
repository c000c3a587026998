#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/value.hpp>

#include "rest/answers/template_program.hpp"

namespace holdfast::rest {

/// The work that one rendering may still do. A budget that is used up stays so.
///
/// Thread-safety: none.
class WorkBudget final {
public:
    explicit WorkBudget(std::size_t units) : left_(units) {}

    void spend(std::size_t units) noexcept { left_ = units < left_ ? left_ - units : 0; }
    void spend_text(std::size_t bytes) noexcept { spend(1 + bytes / kBytesPerUnit); }
    [[nodiscard]] bool is_used_up() const noexcept { return left_ == 0; }

private:
    static constexpr std::size_t kBytesPerUnit = 16;

    std::size_t left_;
};

using JsonItems = std::vector<const boost::json::value*>;

/// A value between two filters: absent, a part of the answer, items of a list, or a text that a
/// filter made. Refers to the answer, which must outlive it.
using TemplateValue =
    std::variant<std::monostate, const boost::json::value*, JsonItems, std::string>;

/// Whether the value is absent, null, false, or an empty text, list or object. Zero is not empty.
[[nodiscard]] bool is_empty(const TemplateValue& value);

/// Returns the text that is shown, at most `max_bytes`. Lists are joined with commas; objects are
/// JSON.
[[nodiscard]] std::string shown_text(const TemplateValue& value, std::size_t max_bytes);

/// Applies a filter. A value that the filter does not apply to is returned unchanged.
[[nodiscard]] TemplateValue filtered(TemplateValue value, const FilterStep& filter,
                                     std::size_t max_bytes, WorkBudget& budget);

/// Returns the items of a list; nothing for any other value.
[[nodiscard]] std::optional<JsonItems> items_in(const TemplateValue& value, WorkBudget& budget);

}  // namespace holdfast::rest
