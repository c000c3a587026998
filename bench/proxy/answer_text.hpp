#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::bench {

/// The bytes received for one request; no other request is outstanding.
class AnswerText final {
public:
    void clear() { bytes_.clear(); }
    void append(std::string_view bytes) { bytes_.append(bytes); }

    /// Whether the answer is complete: by its content length, or by its last chunk.
    [[nodiscard]] bool is_complete() const;
    [[nodiscard]] bool has_status(std::string_view status) const;
    /// Whether the body, JSON or events, contains the result of this request.
    [[nodiscard]] bool has_result(std::uint64_t id) const;
    [[nodiscard]] std::optional<std::string> header(std::string_view name) const;
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    std::string bytes_;
};

}  // namespace holdfast::bench
