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

/// Both ends belong to it.
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
    overloaded,     ///< A limit on our side.
    cancelled,
    stopping,  ///< The downstream is being shut down by us.
};

inline constexpr auto kBuiltinClassCount = static_cast<std::uint32_t>(ErrorClassId::stopping) + 1;

[[nodiscard]] constexpr bool is_builtin(ErrorClassId id) noexcept {
    return static_cast<std::uint32_t>(id) < kBuiltinClassCount;
}

/// The id of the user-defined class with this index.
[[nodiscard]] constexpr ErrorClassId user_class_id(std::uint32_t index) noexcept {
    return static_cast<ErrorClassId>(kBuiltinClassCount + index);
}

/// A kind of error: how it is recognised, whether repeating can help, and what it says about the
/// health of the downstream.
struct ErrorClass {
    ErrorClassId id = ErrorClassId::rpc_error;
    std::string name = {};                   ///< As configs and texts write it.
    std::vector<NumberRange> statuses = {};  ///< Of HTTP.
    std::vector<NumberRange> codes = {};     ///< Of JSON-RPC errors.
    std::vector<std::string> errnos = {};    ///< "EBUSY", as a word of the text.
    std::vector<std::string> words = {};     ///< Anywhere in the text, in any case.
    /// With one of these in the text a status does not make the class, unless one of its `words`
    /// is there too.
    std::vector<std::string> unless = {};
    resilience::FailureKind retry = resilience::FailureKind::transient;
    /// Nothing = it says nothing on the circuit.
    std::optional<resilience::Outcome> counts = resilience::Outcome::failure;
    /// A config gives its errnos or words, so they are looked for in every error. The built-in ones
    /// are only where results are classified: an error may speak of a timeout and be none.
    bool has_own_words = false;

    friend bool operator==(const ErrorClass&, const ErrorClass&) = default;
};

/// In the order in which they are tried.
using ErrorClasses = std::vector<ErrorClass>;

/// Changes to a class, or a new class; what is not given stays.
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

/// The classes that every policy knows.
[[nodiscard]] const std::shared_ptr<const ErrorClasses>& builtin_classes();

/// The classes with changes: what is changed or new is tried first, in the order of the changes.
[[nodiscard]] ErrorClasses with_changes(const ErrorClasses& classes,
                                        const std::vector<ClassChange>& changes);

/// Null when there is no class of that name.
[[nodiscard]] const ErrorClass* find_class(const ErrorClasses& classes, std::string_view name);

/// Every list of classes has all built-in ones, because changes never remove a class.
[[nodiscard]] const ErrorClass& builtin_class(const ErrorClasses& classes, ErrorClassId id);

}  // namespace holdfast::policy
