#include "rest/json_path.hpp"

#include <charconv>
#include <utility>

#include "base/blanks.hpp"
#include "jsonrpc/message_reader.hpp"

namespace holdfast::rest {
namespace {

// In a JSON pointer, `~1` stands for a slash and `~0` for a tilde.
std::optional<std::string> unescaped(std::string_view key) {
    std::string text;
    for (std::size_t index = 0; index < key.size(); ++index) {
        if (key[index] != '~') {
            text.push_back(key[index]);
            continue;
        }
        ++index;
        if (index == key.size() || (key[index] != '0' && key[index] != '1')) {
            return std::nullopt;
        }
        text.push_back(key[index] == '0' ? '~' : '/');
    }
    return text;
}

std::optional<std::size_t> index_in(std::string_view key) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    const bool is_index = error == std::errc{} && end == key.data() + key.size();
    return is_index ? std::optional{index} : std::nullopt;
}

std::optional<std::string> member_of(std::string value, std::string_view key,
                                     const JsonLimits& limits) {
    jsonrpc::MessageReader reader{
        {.max_fields = limits.max_members, .max_batch = limits.max_members}};
    const jsonrpc::PaddedText text{std::move(value)};
    if (text.view().starts_with('{')) {
        const auto found = reader.read_object(text, text.view()).find(key);
        return found ? std::optional<std::string>{*found} : std::nullopt;
    }
    const auto index = index_in(key);
    if (!text.view().starts_with('[') || !index) {
        return std::nullopt;
    }
    const auto items = reader.split_batch(text);
    return items && *index < items->size() ? std::optional<std::string>{(*items)[*index]}
                                           : std::nullopt;
}

}  // namespace

std::optional<JsonPath> parsed_path(std::string_view text) {
    JsonPath path;
    const bool is_pointer = text.starts_with('/');
    const char separator = is_pointer ? '/' : '.';
    while (!text.empty()) {
        text.remove_prefix(is_pointer || !path.keys.empty() ? 1 : 0);
        const std::size_t end = std::min(text.find(separator), text.size());
        const std::string_view key = text.substr(0, end);
        auto read = is_pointer ? unescaped(key) : std::optional<std::string>{key};
        if (!read || read->empty() || path.keys.size() == JsonPath::kMaxKeys) {
            return std::nullopt;
        }
        path.keys.push_back(std::move(*read));
        text.remove_prefix(end);
    }
    return path;
}

std::optional<JsonText> JsonText::checked(std::string_view text) {
    const std::string_view value = base::without_blanks(text);
    jsonrpc::PaddedText list{std::string{"["}.append(value).append("]")};
    jsonrpc::MessageReader reader;
    const auto items = reader.split_batch(list);
    // `[1,2]` has two elements, so the text `1,2` is not one value.
    const bool is_one = items && items->size() == 1 && items->front().size() == value.size();
    return is_one ? std::optional{JsonText{std::move(list)}} : std::nullopt;
}

std::string_view JsonText::whole() const {
    return list_.view().substr(1, list_.size_bytes() - 2);
}

std::optional<std::string> JsonText::part(const JsonPath& path, const JsonLimits& limits) const {
    std::string value{whole()};
    for (const std::string& key : path.keys) {
        auto member = member_of(std::move(value), key, limits);
        if (!member) {
            return std::nullopt;
        }
        value = std::move(*member);
    }
    return value;
}

}  // namespace holdfast::rest
