#include "support/fixture_server/options.hpp"

#include <charconv>
#include <optional>
#include <utility>

namespace holdfast::fixture {
namespace {

using resilience::Errc;
using resilience::Error;

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && rest == text.data() + text.size();
}

bool read_era(std::string_view text, ServedEras& eras) {
    if (text == "legacy") {
        eras = ServedEras::legacy;
    } else if (text == "modern") {
        eras = ServedEras::modern;
    } else if (text == "both") {
        eras = ServedEras::both;
    } else {
        return false;
    }
    return true;
}

bool read_address(std::string_view text, Transport transport, FixtureOptions& options) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || !read_number(text.substr(colon + 1), options.port)) {
        return false;
    }
    options.address = text.substr(0, colon);
    options.transport = transport;
    return true;
}

/// Reads an argument without a value; false if it is unknown.
bool take_switch(std::string_view name, FixtureOptions& options) {
    if (name == "--stdio") {
        options.transport = Transport::stdio;
    } else if (name == "--ignore-eof") {
        options.ignores_end_of_input = true;
    } else if (name == "--ignore-term") {
        options.ignores_termination = true;
    } else if (name == "--always-stream") {
        options.http.streaming = Streaming::always;
    } else if (name == "--undescribed-tool") {
        options.server.has_undescribed_tool = true;
    } else if (name == "--broken-schema-tool") {
        options.server.has_broken_schema_tool = true;
    } else if (name == "--only-pushes") {
        options.server.only_pushes = true;
    } else {
        return false;
    }
    return true;
}

/// Reads an argument with its value; false if either is invalid.
bool take_value(std::string_view name, std::string_view value, FixtureOptions& options) {
    if (name == "--era") {
        return read_era(value, options.server.eras);
    }
    if (name == "--http") {
        return read_address(value, Transport::http, options);
    }
    if (name == "--sse") {
        return read_address(value, Transport::sse, options);
    }
    if (name == "--ws") {
        return read_address(value, Transport::websocket, options);
    }
    if (name == "--sessions") {
        options.http.has_sessions = value == "on";
        return value == "on" || value == "off";
    }
    if (name == "--tools") {
        return read_number(value, options.server.generated_tools);
    }
    if (name == "--name") {
        options.server.name = value;
        return !value.empty();
    }
    if (name == "--lifetime-seconds") {
        return read_number(value, options.lifetime_seconds);
    }
    std::uint32_t delay = 0;
    if (name == "--list-delay-ms" && read_number(value, delay)) {
        options.server.list_delay = std::chrono::milliseconds{delay};
        return true;
    }
    return false;
}

}  // namespace

resilience::Result<FixtureOptions> parsed_options(const std::vector<std::string_view>& arguments) {
    FixtureOptions options;
    for (std::size_t index = 0; index < arguments.size(); ++index) {
        const std::string_view name = arguments[index];
        if (take_switch(name, options)) {
            continue;
        }
        const bool has_value = index + 1 < arguments.size();
        if (!has_value || !take_value(name, arguments[++index], options)) {
            return Error{Errc::invalid_options, "cannot use the argument " + std::string{name}};
        }
    }
    return options;
}

}  // namespace holdfast::fixture
