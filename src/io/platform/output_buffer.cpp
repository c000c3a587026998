#include "platform/output_buffer.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <tuple>

#include "platform/write_all.hpp"

namespace holdfast::platform {
namespace {

constexpr std::size_t kMaxPendingBytes = std::size_t{64} * 1024;

}  // namespace

OutputBuffer::OutputBuffer(int descriptor)
    : descriptor_(descriptor), is_terminal_(::isatty(descriptor) != 0) {}

OutputBuffer::~OutputBuffer() {
    std::ignore = write_pending();  // nobody is left to ask for the error
}

std::streamsize OutputBuffer::xsputn(const char* text, std::streamsize size) {
    return put({text, static_cast<std::size_t>(size)}) ? size : 0;
}

OutputBuffer::int_type OutputBuffer::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) {
        return traits_type::not_eof(letter);
    }
    const char one = traits_type::to_char_type(letter);
    return put({&one, 1}) ? letter : traits_type::eof();
}

int OutputBuffer::sync() {
    return write_pending() ? 0 : -1;
}

bool OutputBuffer::put(std::string_view text) {
    if (error_ != 0) {
        return false;
    }
    pending_ += text;
    const bool is_due =
        pending_.size() >= kMaxPendingBytes || (is_terminal_ && pending_.ends_with('\n'));
    return !is_due || write_pending();
}

bool OutputBuffer::write_pending() {
    if (error_ == 0 && !write_all(descriptor_, pending_)) {
        error_ = errno;
    }
    pending_.clear();
    return error_ == 0;
}

}  // namespace holdfast::platform
