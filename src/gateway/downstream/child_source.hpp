#pragma once

#include "downstream/stream_opener.hpp"
#include "process/child_options.hpp"
#include "process/guardian.hpp"

namespace holdfast::downstream {

struct ChildSourceOptions {
    process::ChildSpec spec = {};
    process::ChildOptions child = {};
    process::StopOptions stop = {};
    /// How long to wait for a child's exit after its output ends, so that the exit can be reported.
    resilience::Duration exit_wait = std::chrono::milliseconds{500};
};

/// Starts the program once per channel. When the program ends, the error names it, its exit and its
/// last log lines. The guardian must outlive the source and its channels.
[[nodiscard]] ChannelSource make_child_source(const process::Guardian& guardian,
                                              ChildSourceOptions options);

}  // namespace holdfast::downstream
