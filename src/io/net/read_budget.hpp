#pragma once

#include <cstddef>

namespace holdfast::net {

/// Limits what a reader of lines reads before other work of its loop runs: one read, and a number
/// of lines of it. A peer that floods us, with line ends or without, must not block the loop.
///
/// Thread-safety: none.
class ReadTurn final {
public:
    [[nodiscard]] bool may_take_line() const noexcept { return lines_ < kMaxLines; }
    [[nodiscard]] bool may_read() const noexcept { return !has_read_; }
    void on_line() noexcept { ++lines_; }
    void on_read() noexcept { has_read_ = true; }
    /// Starts a new turn, after other work has run.
    void renew() noexcept { *this = {}; }

private:
    static constexpr std::size_t kMaxLines = 64;

    std::size_t lines_ = 0;
    bool has_read_ = false;
};

}  // namespace holdfast::net
