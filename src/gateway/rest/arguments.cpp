#include "rest/arguments.hpp"

#include <algorithm>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"

namespace holdfast::rest {

resilience::Result<Arguments, ArgumentFault> Arguments::read(std::string_view object,
                                                             const ArgumentLimits& limits) {
    Arguments arguments;
    if (object.empty()) {
        return arguments;
    }
    const jsonrpc::PaddedText text{std::string{object}};
    // Uses a separate reader: a caller may still need the message in the thread's reader.
    jsonrpc::MessageReader reader{{.max_fields = limits.max_arguments}};
    const jsonrpc::ObjectView view = reader.read_object(text, text.view());
    if (!view.exists()) {
        return ArgumentFault{"The arguments must be an object with at most " +
                             std::to_string(limits.max_arguments) + " members."};
    }
    arguments.all_.reserve(view.fields().size());
    for (const jsonrpc::Field& field : view.fields()) {
        const auto known = std::ranges::find(arguments.all_, field.key, &Argument::name);
        if (known != arguments.all_.end()) {
            known->value = field.value;
        } else {
            arguments.all_.push_back(
                {.name = std::string{field.key}, .value = std::string{field.value}});
        }
    }
    return arguments;
}

std::optional<std::string_view> Arguments::find(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &Argument::name);
    if (found == all_.end() || found->value == "null") {
        return std::nullopt;
    }
    return found->value;
}

std::optional<std::string> plain_text_of(std::string_view json) {
    if (json.starts_with('"')) {
        return jsonrpc::decoded(json);
    }
    if (json.empty() || json == "null" || json.starts_with('{') || json.starts_with('[')) {
        return std::nullopt;
    }
    return std::string{json};
}

std::optional<std::vector<std::string>> items_of(std::string_view json,
                                                 const ArgumentLimits& limits) {
    if (!json.starts_with('[')) {
        return std::nullopt;
    }
    std::vector<std::string> items;
    if (json.find_first_not_of(" \t\r\n", 1) == json.size() - 1) {
        return items;
    }
    jsonrpc::MessageReader reader{{.max_batch = limits.max_list_items}};
    const jsonrpc::PaddedText text{std::string{json}};
    const auto parts = reader.split_batch(text);
    if (!parts) {
        return std::nullopt;
    }
    items.assign(parts->begin(), parts->end());
    return items;
}

}  // namespace holdfast::rest
