#pragma once

#include <sys/types.h>

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/known_header.hpp"

namespace holdfast::net {

/// One header line as written, except for the blanks around the value.
struct HttpHeader {
    std::string_view name = {};
    std::string_view value = {};
};

/// The header lines of one message in their order. The views point into the message. Known headers
/// are recognised when they are added, so finding one of them is an array access.
///
/// Thread-safety: none.
class HttpHeaders final {
public:
    void clear() {
        lines_.clear();
        slots_ = {};
    }
    void add(std::string_view name, std::string_view value) {
        add({.name = name, .value = value}, known_header(name));
    }
    /// For a name that was looked up already.
    void add(const HttpHeader& line, KnownHeader known) {
        lines_.push_back(line);
        if (known != KnownHeader::none && slot_of(known) == 0) {
            slot_of(known) = static_cast<std::uint32_t>(lines_.size());
        }
    }

    /// The first value of a name in any case; none if there is no such header.
    [[nodiscard]] std::optional<std::string_view> find(HeaderName name) const noexcept {
        if (name.known() == KnownHeader::none) {
            return find_unknown(name.text());
        }
        const std::uint32_t slot = slots_[static_cast<std::size_t>(name.known())];
        return slot == 0 ? std::nullopt : std::optional{lines_[slot - 1].value};
    }
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    [[nodiscard]] std::span<const HttpHeader> lines() const noexcept { return lines_; }

private:
    [[nodiscard]] std::optional<std::string_view> find_unknown(
        std::string_view name) const noexcept;
    [[nodiscard]] std::uint32_t& slot_of(KnownHeader known) noexcept {
        return slots_[static_cast<std::size_t>(known)];
    }

    static constexpr std::size_t kUsualLines = 12;

    boost::container::small_vector<HttpHeader, kUsualLines> lines_;
    // For each known header, one more than the index of its first line; 0 = there is none.
    std::array<std::uint32_t, kKnownHeaderCount> slots_{};
};

/// The user and, for a Unix socket, the process at the other end of a connection on this machine.
struct PeerUser {
    uid_t user = 0;
    /// The process that connected; zero if it runs in another process namespace.
    std::optional<pid_t> process = std::nullopt;
};

/// The other end of a connection.
///
/// Thread-safety: none; belongs to the loop of the connection.
class ConnectionPeer {
public:
    ConnectionPeer() = default;
    ConnectionPeer(const ConnectionPeer&) = delete;
    ConnectionPeer& operator=(const ConnectionPeer&) = delete;
    virtual ~ConnectionPeer() = default;

    /// Who the system says it is. The system is asked once for each connection, at the first call.
    /// Nothing if it cannot say: the peer is on another machine, or has closed its socket.
    [[nodiscard]] virtual std::optional<PeerUser> user() = 0;
};

/// A received request. The body has `kBodyPadding` bytes of capacity after it, so that a fast
/// parser need not copy it.
struct HttpRequest {
    static constexpr std::size_t kBodyPadding = 64;

    std::string_view method = {};
    std::string_view target = {};  ///< As written.
    std::string_view path = {};    ///< The target without its query.
    HttpHeaders headers = {};
    std::string body = {};
    ConnectionPeer* peer = nullptr;  ///< Who sent it; null = nobody knows.
};

/// The user that sent a request, if the system knows.
[[nodiscard]] inline std::optional<uid_t> user_of(const HttpRequest& request) {
    const auto peer = request.peer == nullptr ? std::nullopt : request.peer->user();
    return peer ? std::optional{peer->user} : std::nullopt;
}

/// A complete answer.
struct HttpReply {
    int status = 200;
    /// Lines such as `Mcp-Session-Id: x\r\n`; without the length, the connection and the type.
    std::string headers = {};
    /// With static storage duration; unused if empty.
    std::string_view content_type = "application/json";
    std::string body = {};
};

}  // namespace holdfast::net
