#pragma once

#include <streambuf>
#include <string>
#include <string_view>

namespace holdfast::platform {

/// The buffer of standard output. It remembers why a write failed, which a stream does not, and
/// drops everything after that. A terminal shows each piece at once.
///
/// Thread-safety: none.
class OutputBuffer final : public std::streambuf {
public:
    /// Borrows the descriptor.
    explicit OutputBuffer(int descriptor);
    ~OutputBuffer() override;

    /// The error number of the write that failed; 0 if none has.
    [[nodiscard]] int error() const noexcept { return error_; }

protected:
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int_type overflow(int_type letter) override;
    int sync() override;

private:
    [[nodiscard]] bool put(std::string_view text);
    [[nodiscard]] bool write_pending();

    const int descriptor_;
    const bool is_terminal_;
    std::string pending_;
    int error_ = 0;
};

}  // namespace holdfast::platform
