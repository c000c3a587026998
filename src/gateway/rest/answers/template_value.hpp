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

/// How much one rendering may still do. Once it is used up it stays so.
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

/// A value on its way through the filters: absent, a part of the answer, some items of a list, or a
/// text that was made of one. Refers to the answer.
using TemplateValue =
    std::variant<std::monostate, const boost::json::value*, JsonItems, std::string>;

/// Absent, null, false, or an empty text, list or object. A zero is not empty.
[[nodiscard]] bool is_empty(const TemplateValue& value);

/// As it is shown: at most `max_bytes`. Lists are joined with commas; objects are JSON.
[[nodiscard]] std::string shown_text(const TemplateValue& value, std::size_t max_bytes);

/// A filter leaves a value that it cannot be applied to as it is.
[[nodiscard]] TemplateValue filtered(TemplateValue value, const FilterStep& filter,
                                     std::size_t max_bytes, WorkBudget& budget);

/// The items of a list; nothing if it is not one.
[[nodiscard]] std::optional<JsonItems> items_in(const TemplateValue& value, WorkBudget& budget);

}  // namespace holdfast::rest
