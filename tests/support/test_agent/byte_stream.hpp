#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::test {

/// How long a test waits for what must come.
inline constexpr std::chrono::milliseconds kPatience = std::chrono::seconds{20};

/// One end of a TCP connection, or of two pipes. Blocks, but never without a limit.
///
/// Thread-safety: none.
class ByteStream final {
public:
    /// Owns both; they may be the same.
    ByteStream(int input, int output) : input_(input), output_(output) {}
    /// A connection to a loopback port; its operations fail if there is none.
    [[nodiscard]] static ByteStream connected_to(std::uint16_t port);
    ByteStream(ByteStream&& other) noexcept;
    ByteStream& operator=(ByteStream&& other) noexcept;
    ~ByteStream() { close(); }

    /// False when the other side has gone, or takes nothing more for too long.
    [[nodiscard]] bool write(std::string_view bytes) const;
    /// Appends what comes next. False at the end, and when nothing comes in time.
    [[nodiscard]] bool read_into(std::string& buffer,
                                 std::chrono::milliseconds limit = kPatience) const;
    void close_output();
    void close();
    [[nodiscard]] int input() const noexcept { return input_; }

private:
    int input_ = -1;
    int output_ = -1;
};

/// Whether there is something to read, or the end of it, within the time.
[[nodiscard]] bool is_readable(int descriptor, std::chrono::milliseconds limit);

}  // namespace holdfast::test
