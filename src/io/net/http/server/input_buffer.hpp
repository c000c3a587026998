#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast::net {

/// Buffers that the connections of one loop lend each other: each needs one only while it handles
/// what it has read, and that is nearly always one connection at a time.
///
/// Thread-safety: none; belongs to its loop.
class SpareBuffers final {
public:
    explicit SpareBuffers(std::size_t size_bytes) : size_bytes_(size_bytes) {}

    [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }
    [[nodiscard]] std::unique_ptr<char[]> take();
    void give_back(std::unique_ptr<char[]> buffer);

private:
    static constexpr std::size_t kMaxSpare = 4;

    const std::size_t size_bytes_;
    std::vector<std::unique_ptr<char[]>> spare_;
};

/// Bytes that a connection has read and not consumed. Small as long as little arrives at a time,
/// and without memory while it is empty. Only `prepare` moves memory, so views stay valid until
/// then.
///
/// Thread-safety: none.
class InputBuffer final {
public:
    static constexpr std::size_t kUsualBytes = 4096;

    /// `spare` has buffers of the usual size, and outlives this.
    explicit InputBuffer(SpareBuffers& spare) : spare_(spare) {}
    InputBuffer(const InputBuffer&) = delete;
    InputBuffer& operator=(const InputBuffer&) = delete;
    ~InputBuffer() { release(); }

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
    void release() noexcept;

    SpareBuffers& spare_;
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace holdfast::net
