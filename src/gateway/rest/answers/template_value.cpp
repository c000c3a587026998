#include "rest/answers/template_value.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/number_text.hpp"
#include "base/text_cut.hpp"
#include "jsonrpc/json_text.hpp"

namespace holdfast::rest {
namespace {

namespace json = boost::json;

// Approximate number of comparisons per item: the logarithm of a long list's length.
constexpr std::size_t kSortFactor = 16;

std::string number_text(const json::value& value) {
    if (value.is_int64()) {
        return base::number_text(value.get_int64());
    }
    return value.is_uint64() ? base::number_text(value.get_uint64())
                             : base::number_text(value.get_double());
}

/// Appends JSON until the limit is reached. The recursion is as deep as the answer, whose depth is
/// limited.
void append_json(std::string& out, const json::value& value, std::size_t max_bytes) {
    if (out.size() >= max_bytes) {
        return;
    }
    const char* separator = "";
    if (const auto* const list = value.if_array()) {
        out += '[';
        for (const json::value& item : *list) {
            if (out.size() >= max_bytes) {
                return;
            }
            append_json(out += std::exchange(separator, ","), item, max_bytes);
        }
        out += ']';
    } else if (const auto* const object = value.if_object()) {
        out += '{';
        for (const auto& member : *object) {
            if (out.size() >= max_bytes) {
                return;
            }
            out += std::exchange(separator, ",");
            jsonrpc::append_quoted(out, std::string_view{member.key()});
            append_json(out += ':', member.value(), max_bytes);
        }
        out += '}';
    } else if (const auto* const text = value.if_string()) {
        jsonrpc::append_quoted(out, base::beginning_of(*text, max_bytes));
    } else if (value.is_bool()) {
        out += value.get_bool() ? "true" : "false";
    } else {
        out += value.is_null() ? "null" : number_text(value);
    }
}

/// Appends a single value: nothing for null, the characters of a text, else JSON.
void append_plain(std::string& out, const json::value& value, std::size_t max_bytes) {
    if (const auto* const text = value.if_string()) {
        out += base::beginning_of(*text, max_bytes);
    } else if (!value.is_null()) {
        append_json(out, value, max_bytes);
    }
}

template <class Items>
std::string joined(const Items& items, std::string_view separator, std::size_t max_bytes) {
    std::string out;
    bool is_first = true;
    for (const auto& item : items) {
        if (out.size() >= max_bytes) {
            break;
        }
        out += std::exchange(is_first, false) ? std::string_view{} : separator;
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(item)>>) {
            append_plain(out, *item, max_bytes);
        } else {
            append_plain(out, item, max_bytes);
        }
    }
    return out;
}

std::string joined_items(const TemplateValue& value, std::string_view separator,
                         std::size_t max_bytes) {
    if (const auto* const items = std::get_if<JsonItems>(&value)) {
        return joined(*items, separator, max_bytes);
    }
    return joined(std::get<const json::value*>(value)->get_array(), separator, max_bytes);
}

const json::value* json_in(const TemplateValue& value) {
    const auto* const found = std::get_if<const json::value*>(&value);
    return found == nullptr ? nullptr : *found;
}

bool is_list(const TemplateValue& value) {
    const json::value* const part = json_in(value);
    return std::holds_alternative<JsonItems>(value) || (part != nullptr && part->is_array());
}

std::size_t count_of(const TemplateValue& value) {
    if (const auto* const items = std::get_if<JsonItems>(&value)) {
        return items->size();
    }
    if (const json::value* const part = json_in(value)) {
        if (const auto* const list = part->if_array()) {
            return list->size();
        }
        if (const auto* const object = part->if_object()) {
            return object->size();
        }
    }
    return is_empty(value) ? 0 : 1;
}

/// Returns the offset after the first `count` characters.
std::size_t end_of_characters(std::string_view text, std::size_t count) {
    std::size_t end = 0;
    while (end < text.size()) {
        if (!base::continues_character(text[end]) && count-- == 0) {
            break;
        }
        ++end;
    }
    return end;
}

std::string cut_text(std::string text, const FilterStep& filter) {
    const std::size_t end = end_of_characters(text, filter.number);
    if (end == text.size()) {
        return text;
    }
    text.resize(end);
    return text += filter.texts.empty() ? "..." : filter.texts.front();
}

std::string one_line(std::string_view text) {
    std::string line;
    for (const char one : text) {
        const bool is_blank = static_cast<unsigned char>(one) <= ' ' || one == '\x7F';
        if (!is_blank) {
            line += one;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

TemplateValue with_decimals(TemplateValue value, std::size_t decimals) {
    const json::value* const part = json_in(value);
    if (part == nullptr || !part->is_number()) {
        return value;
    }
    return base::number_text(part->to_number<double>(), std::chars_format::fixed,
                             static_cast<int>(decimals));
}

/// Returns "1 result" or "2 results" for a number or for the items of a list.
TemplateValue with_noun(const TemplateValue& value, const FilterStep& filter) {
    const json::value* const part = json_in(value);
    const auto* const text = std::get_if<std::string>(&value);
    const bool is_number = (part != nullptr && part->is_number()) || text != nullptr;
    const std::string count = is_number ? shown_text(value, 32) : std::to_string(count_of(value));
    return count + ' ' + (count == "1" ? filter.texts[0] : filter.texts[1]);
}

/// Orders numbers by value, then texts by bytes; all other values follow in their original order.
bool is_before(const json::value* left, const json::value* right) {
    const auto rank = [](const json::value* value) {
        return value == nullptr ? 2 : value->is_number() ? 0 : value->is_string() ? 1 : 2;
    };
    if (rank(left) != rank(right) || rank(left) == 2) {
        return rank(left) < rank(right);
    }
    return rank(left) == 0 ? left->to_number<double>() < right->to_number<double>()
                           : std::string_view{left->get_string()} < right->get_string();
}

/// An item with its sort key. Items with equal keys keep their order.
struct SortKey {
    const json::value* key = nullptr;
    std::size_t index = 0;
    const json::value* item = nullptr;
};

TemplateValue sorted(const TemplateValue& value, const FilterStep& filter, WorkBudget& budget) {
    JsonItems items = items_in(value, budget).value_or(JsonItems{});
    budget.spend(items.size() * kSortFactor);
    if (budget.is_used_up()) {
        return items;
    }
    std::vector<SortKey> keys;
    keys.reserve(items.size());
    for (const json::value* const item : items) {
        const auto* const object = filter.texts.empty() ? nullptr : item->if_object();
        const json::value* const member =
            object == nullptr ? nullptr : object->if_contains(filter.texts.front());
        keys.push_back(
            {.key = filter.texts.empty() ? item : member, .index = keys.size(), .item = item});
    }
    std::ranges::sort(keys, [](const SortKey& left, const SortKey& right) {
        return is_before(left.key, right.key) ||
               (!is_before(right.key, left.key) && left.index < right.index);
    });
    JsonItems result;
    result.reserve(keys.size());
    std::ranges::transform(keys, std::back_inserter(result), &SortKey::item);
    return result;
}

}  // namespace

bool is_empty(const TemplateValue& value) {
    if (const auto* const items = std::get_if<JsonItems>(&value)) {
        return items->empty();
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
        return text->empty();
    }
    const json::value* const part = json_in(value);
    if (part == nullptr || part->is_null()) {
        return true;
    }
    if (const auto* const list = part->if_array()) {
        return list->empty();
    }
    if (const auto* const object = part->if_object()) {
        return object->empty();
    }
    if (const auto* const text = part->if_string()) {
        return text->empty();
    }
    return part->is_bool() && !part->get_bool();
}

std::string shown_text(const TemplateValue& value, std::size_t max_bytes) {
    std::string text;
    if (const auto* const made = std::get_if<std::string>(&value)) {
        text = *made;
    } else if (is_list(value)) {
        text = joined_items(value, ", ", max_bytes);
    } else if (const json::value* const part = json_in(value)) {
        append_plain(text, *part, max_bytes);
    }
    text.resize(base::beginning_of(text, max_bytes).size());
    return text;
}

std::optional<JsonItems> items_in(const TemplateValue& value, WorkBudget& budget) {
    if (const auto* const items = std::get_if<JsonItems>(&value)) {
        return *items;
    }
    const json::value* const part = json_in(value);
    if (part == nullptr || !part->is_array()) {
        return std::nullopt;
    }
    JsonItems items;
    items.reserve(part->get_array().size());
    for (const json::value& item : part->get_array()) {
        items.push_back(&item);
    }
    budget.spend(items.size());
    return items;
}

TemplateValue filtered(TemplateValue value, const FilterStep& filter, std::size_t max_bytes,
                       WorkBudget& budget) {
    const auto text_of_value = [&] {
        std::string text = shown_text(value, max_bytes);
        budget.spend_text(text.size());
        return text;
    };
    switch (filter.kind) {
        case Filter::cut:
            return cut_text(text_of_value(), filter);
        case Filter::line:
            return one_line(text_of_value());
        case Filter::join: {
            if (!is_list(value)) {
                return value;
            }
            budget.spend(count_of(value));  // empty items cost time too
            std::string text = joined_items(value, filter.texts.front(), max_bytes);
            budget.spend_text(text.size());
            return text;
        }
        case Filter::sort:
            return is_list(value) ? sorted(value, filter, budget) : std::move(value);
        case Filter::first: {
            auto items = items_in(value, budget);
            if (!items) {
                return value;
            }
            items->resize(std::min(items->size(), filter.number));
            return std::move(*items);
        }
        case Filter::count:
            return std::to_string(count_of(value));
        case Filter::decimals:
            return with_decimals(std::move(value), filter.number);
        case Filter::plural:
            return with_noun(value, filter);
        case Filter::otherwise:
            return is_empty(value) ? TemplateValue{filter.texts.front()} : std::move(value);
    }
    return value;
}

}  // namespace holdfast::rest
