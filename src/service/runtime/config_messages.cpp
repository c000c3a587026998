#include "runtime/config_messages.hpp"

#include <ostream>
#include <string_view>

namespace holdfast::runtime {
namespace {

std::string_view prefix_of(const ConfigMessage& message) {
    return message.level == logging::LogLevel::warn ? "warning: " : "";
}

}  // namespace

void print(const ConfigMessages& messages, std::ostream& errors) {
    for (const ConfigMessage& message : messages) {
        if (message.level == logging::LogLevel::debug) {
            continue;
        }
        errors << "holdfast: " << prefix_of(message) << message.text << "\n";
    }
}

std::string joined(const ConfigMessages& messages) {
    std::string text;
    for (const ConfigMessage& message : messages) {
        if (message.level == logging::LogLevel::debug) {
            continue;
        }
        text.append(text.empty() ? "" : "\n").append(prefix_of(message)).append(message.text);
    }
    return text;
}

std::string errors_in(const ConfigMessages& messages) {
    ConfigMessages errors = messages;
    std::erase_if(errors, [](const ConfigMessage& message) {
        return message.level != logging::LogLevel::error;
    });
    return joined(errors);
}

}  // namespace holdfast::runtime
