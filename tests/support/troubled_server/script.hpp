#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::troubled {

/// How to handle one call: "error rate limit exceeded" is the verb `error` with its text.
struct Action {
    std::string verb = {};
    std::string words = {};
};

/// Splits `text` at the first space.
[[nodiscard]] Action read_action(std::string_view text);

/// What a test scripts this server to do, and what the server has seen, as files of a folder, so
/// that both survive a process that dies.
///
/// - `tools`: the list of tools, JSON.
/// - `script.TOOL`, otherwise `script`: a line for each call; each is used once, the last one
///   repeatedly. The test writes it while no call is in flight.
/// - `refuses`: while it exists, the server ends as soon as it is started.
/// - `starts`, `arrivals`, `cancelled`: a line for each process, call and cancellation. It begins
///   with the nanoseconds of the monotonic clock, which all processes share.
///
/// Thread-safety: all from any thread.
class Script final {
public:
    explicit Script(std::string folder) : folder_(std::move(folder)) {}

    [[nodiscard]] std::string tools() const;
    [[nodiscard]] bool refuses_to_start() const;
    void note_start();
    void note_cancellation();
    /// Records a call, and returns how to handle it.
    [[nodiscard]] Action on_call(std::string_view tool, std::string_view arguments);

private:
    void note(std::string_view file, std::string_view what);
    [[nodiscard]] Action next_action(std::string_view tool) const;

    const std::string folder_;
    std::mutex lock_;  // guards the files
};

}  // namespace holdfast::troubled
