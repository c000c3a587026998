#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace holdfast::net {

/// Bytes that a connection has read and not consumed. Small as long as little arrives at a time,
/// and without memory while it is empty. Only `prepare` moves memory, so views stay valid until
/// then.
///
/// Thread-safety: none.
class InputBuffer final {
public:
    static constexpr std::size_t kUsualBytes = 4096;

    explicit InputBuffer(std::size_t usual_bytes = kUsualBytes) : usual_bytes_(usual_bytes) {}

    /// Returns space to read into; the buffer grows to a total of `wanted_bytes` if needed. Empty
    /// if it already holds as many.
    [[nodiscard]] std::span<char> prepare(std::size_t wanted_bytes);
    void commit(std::size_t size_bytes);
    void consume(std::size_t size_bytes);
    void clear() noexcept { begin_ = end_ = 0; }
    /// Frees the memory if the buffer is empty.
    void release_if_empty() noexcept;

    [[nodiscard]] std::string_view view() const noexcept {
        return {bytes_.get() + begin_, end_ - begin_};
    }
    [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
    [[nodiscard]] bool is_full() const noexcept { return end_ == capacity_; }
    [[nodiscard]] std::size_t capacity_bytes() const noexcept { return capacity_; }

private:
    void move_to(std::size_t capacity_bytes);

    const std::size_t usual_bytes_;
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace holdfast::net
