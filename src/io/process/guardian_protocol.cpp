#include "process/guardian_protocol.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace holdfast::process {
namespace {

bool has_nul(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        if (text.find('\0') != std::string::npos) {
            return true;
        }
    }
    return false;
}

net::NetResult<void> check(const ChildSpec& spec) {
    if (spec.arguments.empty() || spec.arguments.front().empty()) {
        return net::NetError{.code = net::NetErrc::invalid_request,
                             .message = "there is no program to start"};
    }
    if (has_nul(spec.arguments) || has_nul(spec.environment) ||
        spec.directory.find('\0') != std::string::npos) {
        return net::NetError{.code = net::NetErrc::invalid_request,
                             .message =
                                 "a program's arguments, environment and directory cannot hold "
                                 "a NUL character"};
    }
    for (const std::string& entry : spec.environment) {
        if (entry.find('=') == std::string::npos || entry.front() == '=') {
            return net::NetError{.code = net::NetErrc::invalid_request,
                                 .message = "an entry of the environment is not NAME=value"};
        }
    }
    return {};
}

std::size_t size_bytes_of(const std::vector<std::string>& texts) {
    std::size_t size_bytes = 0;
    for (const std::string& text : texts) {
        size_bytes += text.size() + 1;
    }
    return size_bytes;
}

void append_texts(std::string& bytes, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        bytes.append(text.c_str(), text.size() + 1);
    }
}

// Removes the next text from `rest`; null if there is no complete one.
char* take_text(std::span<char>& rest) {
    void* end = rest.empty() ? nullptr : std::memchr(rest.data(), '\0', rest.size());
    if (end == nullptr) {
        return nullptr;
    }
    char* text = rest.data();
    rest = rest.subspan(static_cast<std::size_t>(static_cast<char*>(end) - text) + 1);
    return text;
}

bool take_texts(std::span<char>& rest, std::int32_t count, std::vector<char*>& texts) {
    for (std::int32_t index = 0; index < count; ++index) {
        char* text = take_text(rest);
        if (text == nullptr) {
            return false;
        }
        texts.push_back(text);
    }
    texts.push_back(nullptr);
    return true;
}

}  // namespace

net::NetResult<std::string> encode_spawn(const ChildSpec& spec, std::size_t max_descriptors) {
    if (const auto valid = check(spec); !valid) {
        return valid.error();
    }
    const std::size_t payload_bytes =
        spec.directory.size() + 1 + size_bytes_of(spec.arguments) + size_bytes_of(spec.environment);
    if (payload_bytes > kMaxSpawnPayloadBytes) {
        return net::NetError{.code = net::NetErrc::too_large,
                             .message = "arguments and environment take " +
                                        std::to_string(payload_bytes) + " bytes; the limit is " +
                                        std::to_string(kMaxSpawnPayloadBytes)};
    }
    const Frame frame{.kind = FrameKind::spawn,
                      .value = static_cast<std::int32_t>(spec.arguments.size()),
                      .detail = static_cast<std::int32_t>(spec.environment.size()),
                      .may_gain_privileges = spec.may_gain_privileges ? 1 : 0,
                      .max_descriptors = static_cast<std::int32_t>(
                          std::min<std::size_t>(max_descriptors, std::numeric_limits<int>::max()))};
    std::string bytes(sizeof(Frame), '\0');
    std::memcpy(bytes.data(), &frame, sizeof(Frame));
    bytes.reserve(sizeof(Frame) + payload_bytes);
    bytes.append(spec.directory.c_str(), spec.directory.size() + 1);
    append_texts(bytes, spec.arguments);
    append_texts(bytes, spec.environment);
    return bytes;
}

bool read_frame(std::span<const char> message, Frame& frame) {
    if (message.size() < sizeof(Frame)) {
        return false;
    }
    std::memcpy(&frame, message.data(), sizeof(Frame));
    return frame.magic == kGuardianMagic && frame.version == kGuardianVersion;
}

bool read_spawn(std::span<char> message, char* mark, SpawnOrder& order) {
    Frame frame;
    if (!read_frame(message, frame) || frame.kind != FrameKind::spawn || frame.value < 1) {
        return false;
    }
    std::span<char> rest = message.subspan(sizeof(Frame));
    order.directory = take_text(rest);
    order.environment.assign(1, mark);
    order.arguments.clear();
    order.may_gain_privileges = frame.may_gain_privileges != 0;
    order.max_descriptors = static_cast<std::size_t>(std::max(frame.max_descriptors, 0));
    return order.directory != nullptr && take_texts(rest, frame.value, order.arguments) &&
           take_texts(rest, frame.detail, order.environment) && rest.empty();
}

}  // namespace holdfast::process
