#pragma once

#include <span>
#include <string>

namespace holdfast::base {

/// Returns the line of a program's standard error that states best why the program ended: the
/// message of an exception rather than its stack frames, the complaint of a package manager rather
/// than its notices. Without control sequences, at most 300 bytes; empty if no line states
/// anything.
///
/// `lines` is the end of the output, the oldest line first.
[[nodiscard]] std::string cause_line(std::span<const std::string> lines);

}  // namespace holdfast::base
