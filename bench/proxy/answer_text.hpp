#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::bench {

/// The bytes that have come in answer to one request, of which nothing else is outstanding.
class AnswerText final {
public:
    void clear() { bytes_.clear(); }
    void append(std::string_view bytes) { bytes_.append(bytes); }

    /// Whether all of it is here: its length is announced, or it is chunked and has its last chunk.
    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] bool has_status(std::string_view status) const;
    /// Whether its body, JSON or events, holds the result to that request.
    [[nodiscard]] bool has_result(std::uint64_t id) const;
    [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    std::string bytes_;
};

}  // namespace holdfast::bench
