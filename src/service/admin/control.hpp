#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "dispatch/gateway.hpp"
#include "record/recorder.hpp"

namespace holdfast::admin {

/// The result of an operator command.
struct ControlResult {
    enum class End : std::uint8_t {
        done,
        unknown_name,  ///< The message has the nearest names.
        conflict,      ///< It cannot be done in the state that things are in.
    };

    End end = End::done;
    std::string message = {};  ///< A sentence.
};

/// Receives the result, from any thread.
using ControlDone = std::function<void(ControlResult)>;

struct ControlDeps {
    std::shared_ptr<dispatch::Gateway> gateway = {};
    std::shared_ptr<record::Recorder> recorder = {};
    /// Reloads the config asynchronously on its own loop, and reports the result.
    std::function<void(ControlDone)> reload = {};
};

/// The operator commands of a running gateway. Each command is recorded as an event.
///
/// Thread-safety: from any thread.
class Control final {
public:
    explicit Control(ControlDeps parts) : parts_(std::move(parts)) {}

    /// Applies to every circuit with the name: `reset`, `force-open`, `disable`, `metrics-only`,
    /// `normal`.
    [[nodiscard]] ControlResult circuit(std::string_view name, std::string_view action,
                                        resilience::TimePoint now) const;
    /// `restart`, `pause`, `resume`.
    void server(std::string_view name, std::string_view action, const ControlDone& done) const;
    /// Rejects new calls from now on; the process keeps running until it is stopped.
    [[nodiscard]] ControlResult drain() const;
    void reload(ControlDone done) const { parts_.reload(std::move(done)); }

    [[nodiscard]] static bool is_circuit_action(std::string_view action);
    [[nodiscard]] static bool is_server_action(std::string_view action);

private:
    void record(record::EventKind kind, std::string server, std::string subject,
                record::EventWhat what) const;

    const ControlDeps parts_;
};

}  // namespace holdfast::admin
