#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "admin/admin_gate.hpp"
#include "admin/control.hpp"
#include "admin/status_reader.hpp"
#include "base/reloadable.hpp"
#include "net/http_exchange.hpp"

namespace holdfast::admin {

/// The dependencies of the routes; shared by all listeners and the built-in tools.
struct AdminDeps {
    std::shared_ptr<const StatusReader> status = {};
    std::shared_ptr<const Control> control = {};
};

/// Serves the admin listener: `/api`, `/metrics`, `/healthz`, `/readyz` and the page under `/ui`.
/// See docs/api.md. GET requests change nothing.
///
/// Thread-safety: called on the loops of the connections; `set_gate` from any thread.
class AdminHandler final : public net::HttpHandler {
public:
    AdminHandler(AdminDeps parts, AdminGateOptions gate)
        : parts_(std::move(parts)), gate_(AdminGate{std::move(gate)}) {}

    /// Another config is in use: further requests pass this gate.
    void set_gate(AdminGateOptions gate) { gate_.replace(AdminGate{std::move(gate)}); }

    [[nodiscard]] std::optional<net::HttpReply> refused(const net::HttpRequest& request) override;
    void on_request(std::shared_ptr<net::HttpExchange> exchange) override;

private:
    using Exchange = std::shared_ptr<net::HttpExchange>;
    struct Route;
    struct RouteTable;
    /// How the paths of the table fit a request.
    struct AllowedMethods {
        const Route* takes_it = nullptr;  ///< Null = no route takes the path with this method.
        std::string names = {};           ///< Of the methods of the path; empty = unknown path.
    };

    [[nodiscard]] static AllowedMethods allowed_methods(const net::HttpRequest& request);

    void answer_status(const Exchange& exchange) const;
    void answer_calls(const Exchange& exchange) const;
    void answer_call(const Exchange& exchange) const;
    void answer_events(const Exchange& exchange) const;
    void stream_events(const Exchange& exchange) const;
    void answer_series(const Exchange& exchange) const;
    void answer_timeline(const Exchange& exchange) const;
    void answer_tools(const Exchange& exchange) const;
    void search_tools(const Exchange& exchange) const;
    void answer_metrics(const Exchange& exchange) const;
    void answer_health(const Exchange& exchange) const;
    void answer_readiness(const Exchange& exchange) const;
    void answer_page(const Exchange& exchange) const;
    void lead_to_page(const Exchange& exchange) const;

    void command_circuit(const Exchange& exchange) const;
    void command_server(const Exchange& exchange) const;
    void drain(const Exchange& exchange) const;
    void reload(const Exchange& exchange) const;

    [[nodiscard]] telemetry::Recording& recording() const {
        return *parts_.status->sources().recording;
    }

    const AdminDeps parts_;
    base::Reloadable<AdminGate> gate_;
};

}  // namespace holdfast::admin
