#pragma once

#include "downstream/stream_opener.hpp"
#include "process/child_options.hpp"
#include "process/guardian.hpp"

namespace holdfast::downstream {

struct ChildSourceOptions {
    process::ChildSpec spec = {};
    process::ChildOptions child = {};
};

/// Starts the program once per channel; the channel is the child itself. The guardian must outlive
/// the source and its channels.
[[nodiscard]] ChannelSource make_child_source(const process::Guardian& guardian,
                                              ChildSourceOptions options);

}  // namespace holdfast::downstream
