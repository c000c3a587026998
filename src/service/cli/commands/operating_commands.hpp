#pragma once

#include <iosfwd>
#include <memory>
#include <optional>

namespace CLI {  // NOLINT(readability-identifier-naming): the name that CLI11 has
class App;
}

namespace holdfast::cli {

/// The commands for a gateway that runs: `status`, `explain`, `circuits`, `servers`, `drain` and
/// `reload`.
///
/// Thread-safety: none.
class OperatingCommands final {
public:
    /// Adds them to the parser, which must not parse after this has gone.
    explicit OperatingCommands(CLI::App& parser);
    OperatingCommands(const OperatingCommands&) = delete;
    OperatingCommands& operator=(const OperatingCommands&) = delete;
    ~OperatingCommands();

    /// Runs the command that was given; nothing if it was none of these.
    [[nodiscard]] std::optional<int> run(std::ostream& out, std::ostream& errors) const;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace holdfast::cli
