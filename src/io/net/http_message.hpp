#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

/// One header line as written, except for the blanks around the value.
struct HttpHeader {
    std::string_view name = {};
    std::string_view value = {};
};

/// The header lines of one message in order. The views point into the message.
///
/// Thread-safety: none.
class HttpHeaders final {
public:
    void clear() { lines_.clear(); }
    void reserve(std::size_t count) { lines_.reserve(count); }
    void add(std::string_view name, std::string_view value) { lines_.push_back({name, value}); }

    /// Returns the first value of that name, ignoring case; nothing if there is none.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    [[nodiscard]] const std::vector<HttpHeader>& lines() const noexcept { return lines_; }

private:
    std::vector<HttpHeader> lines_;
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
};

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
