#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/private_file.hpp"

namespace holdfast::runtime {

/// A running gateway of this user, as it describes itself.
struct Instance {
    std::int64_t pid = 0;
    /// Start time of the process in kernel ticks. Detects another process that reuses the id. 0 =
    /// unknown.
    std::int64_t started = 0;
    std::string socket = {};  ///< The Unix socket of its admin API.
    /// The admin API over HTTP, such as `http://127.0.0.1:7333`; may be empty.
    std::string admin = {};
    std::string mcp = {};  ///< Where agents connect; empty = standard streams.
    std::string config = {};

    friend bool operator==(const Instance&, const Instance&) = default;
};

/// The file of one running gateway in the runtime folder, by which commands find it. The destructor
/// removes it.
///
/// Thread-safety: none.
class InstanceFile final {
public:
    explicit InstanceFile(std::string folder) : folder_(std::move(folder)) {}
    InstanceFile(const InstanceFile&) = delete;
    InstanceFile& operator=(const InstanceFile&) = delete;
    ~InstanceFile();

    /// Returns why the file could not be written, if so.
    [[nodiscard]] std::optional<platform::FileFault> write(const Instance& instance);

private:
    const std::string folder_;
    std::string path_;  // empty = no file to remove
};

/// Creates the folder, private to this user, if it is missing. Returns why it cannot be used, if
/// so: others can read it, or another user owns it.
[[nodiscard]] std::optional<platform::FileFault> prepare_private_folder(const std::string& folder);

/// Returns the start time of a process in kernel ticks since boot; 0 if there is no such process.
[[nodiscard]] std::int64_t process_start_of(std::int64_t pid);

/// Returns the running gateways, the oldest first. Removes the files of gateways that have ended.
[[nodiscard]] std::vector<Instance> running_instances(const std::string& folder);

}  // namespace holdfast::runtime
