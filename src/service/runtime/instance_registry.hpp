#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/private_file.hpp"

namespace holdfast::runtime {

/// A gateway of this user that runs now, as it tells of itself.
struct Instance {
    std::int64_t pid = 0;
    /// When the process was started, as the kernel counts; with it a process that has the id of one
    /// that ended is not taken for it. 0 = not known.
    std::int64_t started = 0;
    std::string socket = {};  ///< The Unix socket of its admin API.
    std::string admin = {};  ///< The same over HTTP, such as `http://127.0.0.1:7333`; may be empty.
    std::string mcp = {};    ///< Where agents reach it; empty = on its standard streams.
    std::string config = {};

    friend bool operator==(const Instance&, const Instance&) = default;
};

/// The file of one running gateway in the runtime folder, by which commands find it. It goes with
/// this object.
///
/// Thread-safety: none.
class InstanceFile final {
public:
    explicit InstanceFile(std::string folder) : folder_(std::move(folder)) {}
    InstanceFile(const InstanceFile&) = delete;
    InstanceFile& operator=(const InstanceFile&) = delete;
    ~InstanceFile();

    /// Why it could not be written, if it could not.
    [[nodiscard]] std::optional<platform::FileFault> write(const Instance& instance);

private:
    const std::string folder_;
    std::string path_;  // empty = nothing is there to be removed
};

/// Makes the folder for this user alone if it is not there. Why it cannot be used, if it cannot:
/// others may look into it, or it is somebody else's.
[[nodiscard]] std::optional<platform::FileFault> prepare_private_folder(const std::string& folder);

/// When that process was started, in ticks of the kernel since its own start. 0 if there is none.
[[nodiscard]] std::int64_t process_start_of(std::int64_t pid);

/// The gateways that run, the one that was started first comes first. Files of those that have
/// ended are removed.
[[nodiscard]] std::vector<Instance> running_instances(const std::string& folder);

}  // namespace holdfast::runtime
