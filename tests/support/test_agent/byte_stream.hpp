#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::test {

/// How long a test waits for something that must happen.
inline constexpr std::chrono::milliseconds kPatience = std::chrono::seconds{20};

/// One end of a TCP connection, or of two pipes. Blocks, but always with a timeout.
///
/// Thread-safety: none.
class ByteStream final {
public:
    /// Owns both; they may be the same.
    ByteStream(int input, int output) : input_(input), output_(output) {}
    /// Returns a connection to a loopback port; its operations fail if it could not connect.
    [[nodiscard]] static ByteStream connected_to(std::uint16_t port);
    ByteStream(ByteStream&& other) noexcept;
    ByteStream& operator=(ByteStream&& other) noexcept;
    ~ByteStream() { close(); }

    /// Returns false if the peer has gone, or accepts nothing more for too long.
    [[nodiscard]] bool write(std::string_view bytes) const;
    /// Appends the next bytes. Returns false at the end, and if nothing arrives in time.
    [[nodiscard]] bool read_into(std::string& buffer,
                                 std::chrono::milliseconds limit = kPatience) const;
    void close_output();
    void close();
    [[nodiscard]] int input() const noexcept { return input_; }

private:
    int input_ = -1;
    int output_ = -1;
};

/// Returns whether there is something to read, or the end, within the time.
[[nodiscard]] bool is_readable(int descriptor, std::chrono::milliseconds limit);

}  // namespace holdfast::test
