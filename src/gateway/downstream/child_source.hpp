#pragma once

#include "downstream/stream_opener.hpp"
#include "process/child_options.hpp"
#include "process/guardian.hpp"

namespace holdfast::downstream {

struct ChildSourceOptions {
    process::ChildSpec spec = {};
    process::ChildOptions child = {};
    process::StopOptions stop = {};
    /// After the end of its output a child has this long to end, so that its exit can be told.
    resilience::Duration exit_wait = std::chrono::milliseconds{500};
};

/// Starts the program anew for each channel. When it ends, the error names the program, how it
/// ended and what it logged last. The guardian must outlive the source and its channels.
[[nodiscard]] ChannelSource make_child_source(const process::Guardian& guardian,
                                              ChildSourceOptions options);

}  // namespace holdfast::downstream
