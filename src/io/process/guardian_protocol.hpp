#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/net_error.hpp"
#include "process/child_options.hpp"

namespace holdfast::process {

inline constexpr std::uint32_t kGuardianMagic = 0x48464744;  // "HFGD"
inline constexpr std::uint16_t kGuardianVersion = 3;
/// Maximum total size of a child's directory, arguments and environment.
inline constexpr std::size_t kMaxSpawnPayloadBytes = std::size_t{128} * 1024;
/// Standard input, output and error of a child.
inline constexpr std::size_t kSpawnFdCount = 3;

enum class FrameKind : std::uint16_t {
    adopt = 1,     ///< To the guardian, on its own socket, with one leash.
    spawn = 2,     ///< To the guardian, first on a leash: payload and three descriptors.
    signal = 3,    ///< To the guardian: send signal `value` to the group.
    started = 16,  ///< From the guardian: `value` is the process id.
    failed = 17,   ///< From the guardian: `value` is the errno, `detail` the stage. The last frame.
    exited = 18,   ///< From the guardian: `value` is the exit code or signal, `detail` which.
    cleared = 19,  ///< From the guardian: `value` processes survived all tries. The last frame.
};

/// The step at which a child failed to start.
enum class SpawnStage : std::int32_t { accepting = 0, preparing = 1, directory = 2, program = 3 };

/// The head of every message; only `spawn` has a payload after it. Both ends are the same binary,
/// so the version guards against programming errors, not against another release.
struct Frame {
    std::uint32_t magic = kGuardianMagic;
    std::uint16_t version = kGuardianVersion;
    FrameKind kind = FrameKind::adopt;
    std::int32_t value = 0;
    std::int32_t detail = 0;
    std::int32_t may_gain_privileges = 0;  ///< Of the child; only in `spawn`.
    std::int32_t max_descriptors = 0;      ///< Of the child; only in `spawn`. 0 = unchanged.
};
static_assert(sizeof(Frame) == 24);

/// Encodes a `spawn` message. `max_descriptors` is the child's own limit of open descriptors; zero
/// = that of the guardian. Rejects specs without a program, with a NUL inside a text, or larger
/// than `kMaxSpawnPayloadBytes`.
[[nodiscard]] net::NetResult<std::string> encode_spawn(const ChildSpec& spec,
                                                       std::size_t max_descriptors = 0);

/// Reads the head of a message; false if it is invalid or of another version.
[[nodiscard]] bool read_frame(std::span<const char> message, Frame& frame);

/// A spawn order for the guardian: pointers into the message, each list terminated by null.
struct SpawnOrder {
    const char* directory = "";
    std::vector<char*> arguments;
    std::vector<char*> environment;
    bool may_gain_privileges = false;
    std::size_t max_descriptors = 0;  ///< Zero = unchanged.
};

/// Reads a `spawn` message; false if its texts and counts do not match. The order points into
/// `message`. `mark` becomes the first entry of the environment and must outlive the order.
[[nodiscard]] bool read_spawn(std::span<char> message, char* mark, SpawnOrder& order);

}  // namespace holdfast::process
