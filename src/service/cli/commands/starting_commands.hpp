#pragma once

#include <iosfwd>
#include <memory>
#include <optional>

namespace CLI {  // NOLINT(readability-identifier-naming): the name that CLI11 has
class App;
}

namespace holdfast::cli {

/// The commands by which somebody begins: `init`, `import`, `demo` and the server of the demo.
///
/// Thread-safety: none.
class StartingCommands final {
public:
    /// Adds them to the parser, which must not parse after this has gone.
    explicit StartingCommands(CLI::App& parser);
    StartingCommands(const StartingCommands&) = delete;
    StartingCommands& operator=(const StartingCommands&) = delete;
    ~StartingCommands();

    /// Runs the command that was given; nothing if it was none of these.
    [[nodiscard]] std::optional<int> run(std::ostream& out, std::ostream& errors) const;

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};

}  // namespace holdfast::cli
