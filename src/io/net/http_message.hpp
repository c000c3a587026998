#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

/// One header line, as written but for the blanks around the value.
struct HttpHeader {
    std::string_view name = {};
    std::string_view value = {};
};

/// The header lines of one message in their order. The views point into the message.
///
/// Thread-safety: none.
class HttpHeaders final {
public:
    void clear() { lines_.clear(); }
    void reserve(std::size_t count) { lines_.reserve(count); }
    void add(std::string_view name, std::string_view value) { lines_.push_back({name, value}); }

    /// The first value of that name, in whatever case it is written; nothing if there is none.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
    [[nodiscard]] std::size_t count(std::string_view name) const noexcept;
    [[nodiscard]] const std::vector<HttpHeader>& lines() const noexcept { return lines_; }

private:
    std::vector<HttpHeader> lines_;
};

/// A request as it came in. The body has `kBodyPadding` bytes of capacity behind it, so that what
/// parses it fast need not copy it.
struct HttpRequest {
    static constexpr std::size_t kBodyPadding = 64;

    std::string_view method = {};
    std::string_view target = {};  ///< As written.
    std::string_view path = {};    ///< The target up to its query.
    HttpHeaders headers = {};
    std::string body = {};
};

/// A whole answer.
struct HttpReply {
    int status = 200;
    /// Lines such as `Mcp-Session-Id: x\r\n`; without the length, the connection and the type.
    std::string headers = {};
    std::string_view content_type = "application/json";  ///< Of static storage; unused when empty.
    std::string body = {};
};

}  // namespace holdfast::net
