#include "telemetry/last_errors.hpp"

#include <utility>

#include "telemetry/counters/call_look.hpp"

namespace holdfast::telemetry {

void LastErrors::on_call(const record::CallRecord& record) {
    if (record.server.empty() || !record.is_server_failure()) {
        return;
    }
    LastError error{.at_ms = end_ms_of(record),
                    .code = std::string{record.outcome},
                    .tool = std::string{record.tool},
                    .message = std::string{record.message}};
    errors_.with([&](Errors& errors) {
        const auto found = errors.find(record.server);
        if (found != errors.end()) {
            std::swap(found->second, error);
        } else if (errors.size() < max_servers_) {
            errors.emplace(std::string{record.server}, std::move(error));
        }
    });
}

std::optional<LastError> LastErrors::of(std::string_view server) const {
    return errors_.with([server](const Errors& errors) {
        const auto found = errors.find(server);
        return found == errors.end() ? std::nullopt : std::optional{found->second};
    });
}

}  // namespace holdfast::telemetry
