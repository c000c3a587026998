#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <streambuf>
#include <string_view>

#include "platform/log_thread.hpp"

namespace holdfast::platform {

/// Writes to a descriptor at once, and drops lines while the descriptor is not writable: many
/// programs start a server and never read its log, and its calls must not wait for that. Reports
/// the number of dropped lines as soon as it can write again. A file is always writable but may
/// still block the writer, so a thread writes to it; the destructor waits briefly for that thread.
///
/// Thread-safety: output from any thread; a piece that is written in one call stays in one piece.
class LogBuffer final : public std::streambuf {
public:
    /// Borrows the descriptor, which stays as it is: others may have it too.
    explicit LogBuffer(int descriptor);

    /// Sets how dropped lines are reported. Must be called before the first line is written.
    void set_drop_note(DropNote note);

protected:
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int_type overflow(int_type letter) override;

private:
    void put(std::string_view text);
    [[nodiscard]] bool try_write(std::string_view text) const;

    const int descriptor_;
    const bool is_file_;
    // Held while writing, which never waits: two that see the same room must not both use it.
    std::mutex mutex_;
    std::size_t dropped_ = 0;               // guarded by mutex_
    DropNote drop_note_ = plain_drop_note;  // guarded by mutex_
    // Guarded by mutex_. Not before the first line: the process may have to fork first.
    std::optional<LogThread> thread_;
};

}  // namespace holdfast::platform
