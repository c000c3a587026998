#pragma once

#include <iosfwd>
#include <memory>
#include <optional>

namespace CLI {  // NOLINT(readability-identifier-naming): the name that CLI11 has
class App;
}

namespace holdfast::cli {

/// The commands that look at a config or a gateway, and end: `presets`, `check`, `tools`, `call`
/// and `search`.
///
/// Thread-safety: none.
class LookingCommands final {
public:
    /// Adds them to the parser, which must not parse after this has gone.
    explicit LookingCommands(CLI::App& parser);
    LookingCommands(const LookingCommands&) = delete;
    LookingCommands& operator=(const LookingCommands&) = delete;
    ~LookingCommands();

    /// Runs the command that was given; nothing if it was none of these.
    [[nodiscard]] std::optional<int> run(std::ostream& out, std::ostream& errors) const;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace holdfast::cli
