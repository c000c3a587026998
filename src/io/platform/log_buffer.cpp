#include "platform/log_buffer.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <string>
#include <utility>

#include "platform/write_all.hpp"

namespace holdfast::platform {
namespace {

bool is_regular_file(int descriptor) {
    struct stat about{};
    return ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

LogBuffer::LogBuffer(int descriptor)
    : descriptor_(descriptor), is_file_(is_regular_file(descriptor)) {}

void LogBuffer::set_drop_note(DropNote note) {
    const std::scoped_lock lock{mutex_};
    drop_note_ = std::move(note);
}

std::streamsize LogBuffer::xsputn(const char* text, std::streamsize size) {
    put({text, static_cast<std::size_t>(size)});
    return size;  // dropped text is not reported as an error, which would disable the stream
}

LogBuffer::int_type LogBuffer::overflow(int_type letter) {
    if (!traits_type::eq_int_type(letter, traits_type::eof())) {
        const char one = traits_type::to_char_type(letter);
        put({&one, 1});
    }
    return traits_type::not_eof(letter);
}

void LogBuffer::put(std::string_view text) {
    const std::scoped_lock lock{mutex_};
    if (is_file_) {
        if (!thread_) {
            thread_.emplace(LogThreadOptions{.drop_note = drop_note_},
                            [descriptor = descriptor_](std::string_view part) {
                                return write_all(descriptor, part);
                            });
        }
        thread_->put(text);
        return;
    }
    if (dropped_ != 0 && try_write(drop_note_(dropped_))) {
        dropped_ = 0;
    }
    if (dropped_ != 0 || !try_write(text)) {
        ++dropped_;
    }
}

// A pipe that is ready has room for this much, so that the write does not wait.
bool LogBuffer::try_write(std::string_view text) const {
    while (!text.empty()) {
        pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) {
            return false;
        }
        const std::string_view piece = text.substr(0, PIPE_BUF);
        const ssize_t written = ::write(descriptor_, piece.data(), piece.size());
        if (written <= 0) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace holdfast::platform
