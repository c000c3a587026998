#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/resilience/outcome.hpp"
#include "holdfast/resilience/retry_sequence.hpp"

namespace holdfast::policy {

/// Both ends are included.
struct NumberRange {
    int first = 0;
    int last = 0;

    [[nodiscard]] bool contains(int number) const noexcept {
        return number >= first && number <= last;
    }

    friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

/// Identifies an error class. The named values are the classes that every policy knows. A class
/// that a config or a preset defines gets its value from `user_class_id`; it is unique among the
/// classes of one server.
enum class ErrorClassId : std::uint32_t {
    file_busy,
    rate_limited,
    server_error,
    timeout,
    lsp_not_ready,
    connection_refused,
    connection_lost,
    malformed,
    unauthorized,
    client_error,
    internal_error,
    rpc_error,
    tool_error,
    too_large,
    not_connected,  ///< The downstream is known to be down; nothing was tried.
    overloaded,     ///< A limit of the gateway.
    cancelled,
    stopping,  ///< The gateway is stopping the downstream.
};

inline constexpr auto kBuiltinClassCount = static_cast<std::uint32_t>(ErrorClassId::stopping) + 1;

[[nodiscard]] constexpr bool is_builtin(ErrorClassId id) noexcept {
    return static_cast<std::uint32_t>(id) < kBuiltinClassCount;
}

/// Returns the id of the user-defined class with this index.
[[nodiscard]] constexpr ErrorClassId user_class_id(std::uint32_t index) noexcept {
    return static_cast<ErrorClassId>(kBuiltinClassCount + index);
}

/// A kind of error: how it is recognised, whether a retry can help, and what it says about the
/// health of the downstream.
struct ErrorClass {
    ErrorClassId id = ErrorClassId::rpc_error;
    std::string name = {};                   ///< The name in configs and texts.
    std::vector<NumberRange> statuses = {};  ///< HTTP statuses.
    std::vector<NumberRange> codes = {};     ///< Codes of JSON-RPC errors.
    std::vector<std::string> errnos = {};    ///< "EBUSY", as a whole word of the text.
    std::vector<std::string> words = {};     ///< Anywhere in the text; case is ignored.
    /// If the text has one of these, a status does not select the class, unless the text also has
    /// one of its `words`.
    std::vector<std::string> unless = {};
    resilience::FailureKind retry = resilience::FailureKind::transient;
    /// Nothing = does not count on the circuit.
    std::optional<resilience::Outcome> counts = resilience::Outcome::failure;
    /// Whether a config sets its errnos or words; these are searched in every error. Built-in words
    /// are only searched if results are classified: an error may mention a timeout without being
    /// one.
    bool has_own_words = false;

    friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

/// In matching order.
using ErrorClasses = std::vector<ErrorClass>;

/// Changes to a class, or a new class; fields without a value stay unchanged.
struct ClassChange {
    std::string name = {};
    std::optional<std::vector<NumberRange>> statuses = std::nullopt;
    std::optional<std::vector<NumberRange>> codes = std::nullopt;
    std::optional<std::vector<std::string>> errnos = std::nullopt;
    std::optional<std::vector<std::string>> words = std::nullopt;
    std::optional<std::vector<std::string>> unless = std::nullopt;
    std::optional<resilience::FailureKind> retry = std::nullopt;
    std::optional<resilience::Outcome> counts = std::nullopt;
};

/// The classes that every policy has.
[[nodiscard]] const std::shared_ptr<const ErrorClasses>& builtin_classes();

/// Applies changes. Changed and new classes are tried first, in the order of the changes.
[[nodiscard]] ErrorClasses with_changes(const ErrorClasses& classes,
                                        const std::vector<ClassChange>& changes);

/// Returns null if there is no class of that name.
[[nodiscard]] const ErrorClass* find_class(const ErrorClasses& classes, std::string_view name);

/// Returns a built-in class, which every list has because changes never remove a class.
[[nodiscard]] const ErrorClass& builtin_class(const ErrorClasses& classes, ErrorClassId id);

}  // namespace holdfast::policy
