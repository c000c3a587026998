#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "holdfast/resilience/time.hpp"

namespace holdfast::cli {

/// Where the value of an option goes. It must live as long as the command.
using OptionTarget =
    std::variant<bool*, std::string*, std::vector<std::string>*, std::size_t*, std::int64_t*,
                 double*, resilience::Duration*, std::function<void(const std::string&)>>;

/// An option, or a positional argument if its name does not begin with a dash.
struct CommandOption {
    std::string name;  ///< "--json", or "tool".
    std::string help;  ///< A verb phrase or noun phrase without a full stop, below 60 characters.
    OptionTarget target;
    bool is_required = false;
    bool is_hidden = false;  ///< An old name: not in the help.
    std::vector<std::string> choices = {};
    double min = 0;
    double max = 0;  ///< Together with `min` for numbers; both zero = any.
    /// Whether a text is a valid value; empty = any text is. `expected` says what one looks like.
    std::function<bool(const std::string&)> accepts = {};
    std::string expected = {};  ///< "HOST:PORT, for example 127.0.0.1:7332"
    std::string excludes = {};  ///< The name of an option that must not be given with it.
    std::string needs = {};     ///< The name of an option that must be given with it.
};

/// A command of the command line: its options, and what it does. Plain data, so that only
/// `command_line.cpp` knows the parser.
struct Command {
    std::string name;
    std::string help;
    std::vector<std::string> examples = {};
    std::vector<CommandOption> options = {};
    std::vector<Command> commands = {};  ///< Commands of its own, such as `install` of `model`.
    bool is_hidden = false;
    /// Runs it and returns the exit code; owns what the options write to. Empty = one of its
    /// commands must be given.
    std::function<int(std::ostream& out, std::ostream& errors)> run = {};
};

}  // namespace holdfast::cli
