#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::troubled {

/// What is done about one call: "error rate limit exceeded" is the verb `error` with its words.
struct Action {
    std::string verb = {};
    std::string words = {};
};

/// `text` up to the first space, and what follows it.
[[nodiscard]] Action read_action(std::string_view text);

/// What a test tells this server to do, and what the server has seen, in the files of a folder, so
/// that both outlive a process that dies in the middle of it.
///
/// - `tools`: the list of tools, JSON.
/// - `script.TOOL`, else `script`: a line for each call; each is used once, the last one for ever.
///   The test writes it while no call is under way.
/// - `refuses`: while it is there, the server ends as soon as it is started.
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
    /// Notes that a call has come, and takes what is to be done about it.
    [[nodiscard]] Action on_call(std::string_view tool, std::string_view arguments);

private:
    void note(std::string_view file, std::string_view what);
    [[nodiscard]] Action next_action(std::string_view tool) const;

    const std::string folder_;
    std::mutex lock_;  // guards the files
};

}  // namespace holdfast::troubled
