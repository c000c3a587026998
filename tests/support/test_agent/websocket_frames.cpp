#include "support/test_agent/websocket_frames.hpp"

#include <cstdlib>
#include <tuple>

namespace holdfast::test {
namespace {

constexpr std::size_t kShortLimit = 126;
constexpr std::size_t kMediumLimit = 65'536;

void append_number(std::string& out, std::size_t number, int bytes) {
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
        out.push_back(static_cast<char>((number >> shift) & 0xFF));
    }
}

std::size_t number_at(std::string_view text, std::size_t begin, std::size_t bytes) {
    std::size_t number = 0;
    for (std::size_t index = begin; index < begin + bytes; ++index) {
        number = number << 8 | static_cast<unsigned char>(text[index]);
    }
    return number;
}

}  // namespace

std::string frame_text(const Frame& frame) {
    constexpr std::size_t kMasked = 0x80;
    std::string text;
    text.push_back(static_cast<char>((frame.is_last ? 0x80 : 0) | static_cast<int>(frame.kind)));
    const std::size_t size = frame.content.size();
    if (size < kShortLimit) {
        append_number(text, kMasked | size, 1);
    } else if (size < kMediumLimit) {
        append_number(text, kMasked | 126, 1);
        append_number(text, size, 2);
    } else {
        append_number(text, kMasked | 127, 1);
        append_number(text, size, 8);
    }
    return text.append(4, '\0') + frame.content;
}

WebSocketFrames::WebSocketFrames(std::uint16_t port, const Upgrade& upgrade)
    : stream_(ByteStream::connected_to(port)) {
    const std::string protocols = upgrade.subprotocols.empty()
                                      ? ""
                                      : "Sec-WebSocket-Protocol: " + upgrade.subprotocols + "\r\n";
    std::ignore = stream_.write("GET " + upgrade.target +
                                " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                                "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                "Sec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
                                // the status shows a failure
                                protocols + upgrade.headers + "\r\n");
    std::size_t end = std::string::npos;
    while (end == std::string::npos && stream_.read_into(pending_)) {
        end = pending_.find("\r\n\r\n");
    }
    if (end == std::string::npos) {
        return;
    }
    const std::string head = pending_.substr(0, end + 2);
    pending_.erase(0, end + 4);
    const int status = std::atoi(head.substr(head.find(' ') + 1, 3).c_str());
    const std::string agreed = "Sec-WebSocket-Protocol: " +
                               upgrade.subprotocols.substr(0, upgrade.subprotocols.find(',')) +
                               "\r\n";
    const bool is_named = head.find("Sec-WebSocket-Protocol:") != std::string::npos;
    const bool is_echoed =
        upgrade.subprotocols.empty() ? !is_named : head.find(agreed) != std::string::npos;
    status_ = status == 101 && !is_echoed ? 0 : status;
}

std::optional<Frame> WebSocketFrames::next(std::chrono::milliseconds limit) {
    auto frame = take();
    while (!frame && stream_.read_into(pending_, limit)) {
        frame = take();
    }
    return frame;
}

std::optional<Frame> WebSocketFrames::take() {
    if (pending_.size() < 2) {
        return std::nullopt;
    }
    std::size_t size = number_at(pending_, 1, 1) & 0x7F;
    const std::size_t size_bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
    const std::size_t begin = 2 + size_bytes;
    if (pending_.size() < begin) {
        return std::nullopt;
    }
    if (size_bytes != 0) {
        size = number_at(pending_, 2, size_bytes);
    }
    if (pending_.size() < begin + size) {
        return std::nullopt;
    }
    const std::size_t first = number_at(pending_, 0, 1);
    Frame frame{.kind = static_cast<FrameKind>(first & 0x0F),
                .is_last = (first & 0x80) != 0,
                .content = pending_.substr(begin, size)};
    pending_.erase(0, begin + size);
    return frame;
}

}  // namespace holdfast::test
