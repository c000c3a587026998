#pragma once

#include <cstddef>

namespace holdfast::net {

/// What a reader of lines takes in before the others on its loop have their turn: one read, and so
/// many lines of it. A peer that floods us, with a line end or without, must not keep the loop.
///
/// Thread-safety: none.
class ReadTurn final {
public:
    [[nodiscard]] bool may_take_line() const noexcept { return lines_ < kMaxLines; }
    [[nodiscard]] bool may_read() const noexcept { return !has_read_; }
    void on_line() noexcept { ++lines_; }
    void on_read() noexcept { has_read_ = true; }
    /// The others have had theirs.
    void renew() noexcept { *this = {}; }

private:
    static constexpr std::size_t kMaxLines = 64;

    std::size_t lines_ = 0;
    bool has_read_ = false;
};

}  // namespace holdfast::net
