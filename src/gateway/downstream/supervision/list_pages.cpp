#include "downstream/supervision/list_pages.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "jsonrpc/json_text.hpp"

namespace holdfast::downstream {
namespace {

struct ListNames {
    std::string_view method = {};
    std::string_view key = {};  ///< Of an entry.
};

ListNames names_of(ListKind kind) noexcept {
    switch (kind) {
        case ListKind::tools:
            return {.method = "tools/list", .key = "name"};
        case ListKind::prompts:
            return {.method = "prompts/list", .key = "name"};
        case ListKind::resources:
            return {.method = "resources/list", .key = "uri"};
        case ListKind::templates:
            return {.method = "resources/templates/list", .key = "uriTemplate"};
    }
    return {};
}

bool is_string(std::optional<std::string_view> value) noexcept {
    return value && value->starts_with('"');
}

bool is_empty_array(std::string_view array) noexcept {
    const std::size_t first = array.find_first_not_of(" \t\r\n", 1);
    return first != std::string_view::npos && array[first] == ']';
}

std::int64_t ttl_in(const jsonrpc::ObjectView& page) noexcept {
    std::int64_t ttl_ms = 0;
    if (const auto text = page.find("ttlMs")) {
        const auto [end, fault] =
            std::from_chars(text->data(), text->data() + text->size(), ttl_ms);
        ttl_ms = fault == std::errc{} && end == text->data() + text->size() ? ttl_ms : 0;
    }
    return std::max<std::int64_t>(ttl_ms, 0);
}

}  // namespace

std::string_view method_of(ListKind kind) noexcept {
    return names_of(kind).method;
}

ListPages::ListPages(ListKind kind, const ListLimits& limits)
    : limits_(limits), reader_({.max_batch = limits.max_entries}) {
    listing_.kind = kind;
}

ListPages::Step ListPages::add(const Answer& page) {
    const jsonrpc::ObjectView result = reader_.read_object(page.text(), page.body());
    const auto array = result.find(list_member(listing_.kind));
    if (!array || !array->starts_with('[')) {
        return Step::malformed;
    }
    add_hints(result);
    ++pages_;
    // The presence of a cursor means more pages; an empty string is a cursor, too.
    const auto cursor = result.find("nextCursor");
    next_cursor_ = is_string(cursor) ? std::string{*cursor} : std::string{};
    if (!is_empty_array(*array) && !add_entries(*array)) {
        return Step::malformed;
    }
    const bool goes_on = !next_cursor_.empty() && pages_ < limits_.max_pages &&
                         listing_.entries.size() < limits_.max_entries &&
                         cursors_.insert(next_cursor_).second;
    return goes_on ? Step::ask_again : Step::complete;
}

std::string ListPages::params_members() const {
    return next_cursor_.empty() ? std::string{} : "\"cursor\":" + next_cursor_;
}

Listing ListPages::take() {
    return std::move(listing_);
}

bool ListPages::add_entries(std::string_view array) {
    const jsonrpc::PaddedText text{std::string{array}};
    const auto entries = reader_.split_batch(text);
    if (!entries) {
        return false;
    }
    for (const std::string_view entry : entries.value()) {
        if (listing_.entries.size() >= limits_.max_entries) {
            break;
        }
        add_entry(text, entry);
    }
    return true;
}

void ListPages::add_entry(const jsonrpc::PaddedText& text, std::string_view entry) {
    const jsonrpc::ObjectView object = reader_.read_object(text, entry);
    const auto key_text = object.find(names_of(listing_.kind).key);
    ++position_;
    std::string key = is_string(key_text) ? jsonrpc::decoded(*key_text) : std::string{};
    if (key.empty()) {
        listing_.faults.add(std::string{item_name(listing_.kind)} + " " +
                            std::to_string(position_) + " is not listed: it has no \"" +
                            std::string{names_of(listing_.kind).key} + "\"");
        return;
    }
    if (!keys_.insert(key).second) {
        listing_.faults.add(named_item(listing_.kind, key) +
                            " is listed more than once; the first one counts");
        return;
    }
    if (auto checked = checked_entry(listing_.kind, std::move(key), entry, listing_.faults)) {
        listing_.entries.push_back(*std::move(checked));
    }
}

void ListPages::add_hints(const jsonrpc::ObjectView& page) {
    const std::int64_t ttl_ms = ttl_in(page);
    const bool is_public = page.find("cacheScope") == "\"public\"";
    // The whole list is as short-lived and as private as its most restricted page.
    listing_.ttl_ms = pages_ == 0 ? ttl_ms : std::min(listing_.ttl_ms, ttl_ms);
    listing_.is_public = is_public && (pages_ == 0 || listing_.is_public);
}

}  // namespace holdfast::downstream
