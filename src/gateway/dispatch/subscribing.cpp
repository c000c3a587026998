#include "dispatch/subscribing.hpp"

#include <algorithm>
#include <utility>

#include "calls/input_round.hpp"
#include "jsonrpc/thread_reader.hpp"
#include "surface/uri_template.hpp"

namespace holdfast::dispatch {
namespace {

bool offers_subscriptions(std::string_view capabilities) {
    for (const auto& [group, value] : calls::members_of(capabilities)) {
        if (group != "resources") {
            continue;
        }
        const auto members = calls::members_of(value);
        return std::ranges::any_of(members, [](const auto& member) {
            return member.first == "subscribe" && member.second == "true";
        });
    }
    return false;
}

class AcceptingPort final : public agents::ReplyPort {
public:
    AcceptingPort(std::shared_ptr<agents::ReplyPort> port, std::function<void()> on_accepted)
        : port_(std::move(port)), on_accepted_(std::move(on_accepted)) {}

    void send(std::string message, agents::Importance importance) override {
        port_->send(std::move(message), importance);
    }
    void finish(std::string message, int http_status) override {
        const jsonrpc::PaddedText text{std::move(message)};
        if (jsonrpc::part_reader().read_object(text, text.view()).find("result")) {
            on_accepted_();
        }
        port_->finish(std::string{text.view()}, http_status);
    }
    void abandon() override { port_->abandon(); }
    [[nodiscard]] bool can_ask() const override { return port_->can_ask(); }
    void on_gone(std::function<void()> listener) override { port_->on_gone(std::move(listener)); }

private:
    const std::shared_ptr<agents::ReplyPort> port_;
    const std::function<void()> on_accepted_;
};

}  // namespace

bool refuses_subscriptions(const surface::Server& server) {
    const auto status = server.downstream->status();
    return status.negotiated && !offers_subscriptions(status.negotiated->capabilities);
}

bool is_known_uri(const surface::Surface& surface, std::string_view uri) {
    const auto resources = surface.catalogue(surface::ListKind::resources).items();
    const auto templates = surface.catalogue(surface::ListKind::templates).items();
    return std::ranges::any_of(resources,
                               [uri](const auto& item) { return item.name.starts_with(uri); }) ||
           std::ranges::any_of(templates, [uri](const auto& item) {
               return surface::matches_template(uri, item.name);
           });
}

bool can_subscribe(const surface::Surface& surface, std::string_view uri) {
    const surface::Server* server = surface.find_resource(uri);
    return server != nullptr && !refuses_subscriptions(*server) && is_known_uri(surface, uri);
}

std::shared_ptr<agents::ReplyPort> accepting_port(std::shared_ptr<agents::ReplyPort> port,
                                                  std::function<void()> on_accepted) {
    return std::make_shared<AcceptingPort>(std::move(port), std::move(on_accepted));
}

}  // namespace holdfast::dispatch
