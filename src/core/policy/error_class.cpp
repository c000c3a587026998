#include "policy/error_class.hpp"

#include <algorithm>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::policy {
namespace {

using resilience::FailureKind;
using resilience::Outcome;

// Classes with words are in matching order. The text of EAGAIN, "resource temporarily unavailable",
// contains words of a server error.
ErrorClasses made_builtin_classes() {
    return {
        {.id = ErrorClassId::file_busy,
         .name = "fileBusy",
         .errnos = {"EBUSY", "EAGAIN"},
         .words = {"resource busy", "file busy", "file is busy",
                   "resource temporarily unavailable"}},
        {.id = ErrorClassId::rate_limited,
         .name = "rateLimited",
         .statuses = {{.first = 429, .last = 429}},
         .words = {"rate limit", "too many requests", "quota exceeded", "api rate limit exceeded"},
         .retry = FailureKind::throttled,
         .counts = Outcome::neutral},
        {.id = ErrorClassId::server_error,
         .name = "serverError",
         .statuses = {{.first = 500, .last = 599}},
         .words = {"temporarily unavailable"}},
        {.id = ErrorClassId::timeout,
         .name = "timeout",
         .errnos = {"ETIMEDOUT"},
         .words = {"timeout", "timed out", "deadline exceeded"}},
        {.id = ErrorClassId::lsp_not_ready,
         .name = "lspNotReady",
         .words = {"language server not ready", "lsp not initialized", "server is starting"}},
        {.id = ErrorClassId::connection_refused,
         .name = "connectionRefused",
         .errnos = {"ECONNREFUSED"},
         .words = {"connection refused"}},
        {.id = ErrorClassId::connection_lost,
         .name = "connectionLost",
         .errnos = {"ECONNRESET", "EPIPE"}},
        {.id = ErrorClassId::malformed, .name = "malformed"},
        {.id = ErrorClassId::unauthorized,
         .name = "unauthorized",
         .statuses = {{.first = 401, .last = 401}, {.first = 403, .last = 403}},
         .retry = FailureKind::permanent,
         .counts = Outcome::neutral},
        {.id = ErrorClassId::client_error,
         .name = "clientError",
         .statuses = {{.first = 400, .last = 499}},
         .retry = FailureKind::permanent,
         .counts = Outcome::neutral},
        {.id = ErrorClassId::internal_error,
         .name = "internalError",
         .codes = {{.first = -32603, .last = -32603}}},
        {.id = ErrorClassId::rpc_error,
         .name = "rpcError",
         .retry = FailureKind::permanent,
         .counts = Outcome::neutral},
        {.id = ErrorClassId::tool_error,
         .name = "toolError",
         .retry = FailureKind::permanent,
         .counts = Outcome::success},
        {.id = ErrorClassId::too_large,
         .name = "tooLarge",
         .retry = FailureKind::permanent,
         .counts = Outcome::success},
        {.id = ErrorClassId::not_connected, .name = "notConnected", .counts = std::nullopt},
        {.id = ErrorClassId::overloaded,
         .name = "overloaded",
         .retry = FailureKind::permanent,
         .counts = std::nullopt},
        {.id = ErrorClassId::cancelled,
         .name = "cancelled",
         .retry = FailureKind::permanent,
         .counts = std::nullopt},
        {.id = ErrorClassId::stopping,
         .name = "stopping",
         .retry = FailureKind::permanent,
         .counts = std::nullopt},
    };
}

ErrorClass changed(ErrorClass one, const ClassChange& change) {
    one.name = change.name;
    one.statuses = change.statuses.value_or(one.statuses);
    one.codes = change.codes.value_or(one.codes);
    one.errnos = change.errnos.value_or(one.errnos);
    one.words = change.words.value_or(one.words);
    one.unless = change.unless.value_or(one.unless);
    one.retry = change.retry.value_or(one.retry);
    one.has_own_words = one.has_own_words || change.errnos || change.words;
    if (change.counts) {
        one.counts = change.counts;
    }
    return one;
}

}  // namespace

const std::shared_ptr<const ErrorClasses>& builtin_classes() {
    static const auto classes = std::make_shared<const ErrorClasses>(made_builtin_classes());
    return classes;
}

ErrorClasses with_changes(const ErrorClasses& classes, const std::vector<ClassChange>& changes) {
    ErrorClasses result;
    // Classes are never removed, so all classes beyond the built-in ones are user-defined.
    auto user_classes = static_cast<std::uint32_t>(classes.size()) - kBuiltinClassCount;
    for (const ClassChange& change : changes) {
        const ErrorClass* known = find_class(classes, change.name);
        result.push_back(changed(
            known == nullptr ? ErrorClass{.id = user_class_id(user_classes++)} : *known, change));
    }
    for (const ErrorClass& one : classes) {
        if (std::ranges::find(changes, one.name, &ClassChange::name) == changes.end()) {
            result.push_back(one);
        }
    }
    return result;
}

const ErrorClass* find_class(const ErrorClasses& classes, std::string_view name) {
    const auto found = std::ranges::find(classes, name, &ErrorClass::name);
    return found == classes.end() ? nullptr : &*found;
}

const ErrorClass& builtin_class(const ErrorClasses& classes, ErrorClassId id) {
    const auto found = std::ranges::find(classes, id, &ErrorClass::id);
    HOLDFAST_EXPECT(found != classes.end());
    return *found;
}

}  // namespace holdfast::policy
