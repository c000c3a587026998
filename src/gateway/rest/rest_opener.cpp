#include "rest/rest_opener.hpp"

#include <utility>

#include "rest/requests/rest_backend.hpp"
#include "rest/requests/rest_call.hpp"

namespace holdfast::rest {
namespace {

namespace asio = boost::asio;
using downstream::CallFault;
using downstream::Link;
using Opened = resilience::Result<std::shared_ptr<Link>, CallFault>;

/// Never notifies its listener, because there is no connection that could be lost.
class RestLink final : public Link {
public:
    explicit RestLink(std::shared_ptr<const RestBackend> backend) : backend_(std::move(backend)) {
        negotiated_.capabilities = R"({"tools":{}})";
        negotiated_.instructions = backend_->api().instructions;
    }

    [[nodiscard]] const downstream::Negotiated& negotiated() const override { return negotiated_; }
    [[nodiscard]] asio::awaitable<downstream::CallResult> call(
        net::OwningLoop caller, downstream::Request request,
        std::shared_ptr<downstream::CallListener> /*listener*/) override {
        return run_rest_call(backend_, std::move(caller), std::move(request));
    }
    void notify(std::string_view /*method*/, std::string /*params*/) override {}
    void set_interests(downstream::Interests /*interests*/) override {}
    [[nodiscard]] asio::awaitable<void> close(downstream::CallFault /*why*/) override { co_return; }

private:
    const std::shared_ptr<const RestBackend> backend_;  // shared with calls in flight
    downstream::Negotiated negotiated_;
};

asio::awaitable<Opened> opened_at_once(std::shared_ptr<const RestBackend> backend) {
    co_return std::shared_ptr<Link>{std::make_shared<RestLink>(std::move(backend))};
}

}  // namespace

RestOpener::RestOpener(RestApi api, std::shared_ptr<net::HttpClient> client,
                       std::function<void(const std::string&)> warn)
    : backend_(std::make_shared<const RestBackend>(std::move(api), std::move(client),
                                                   std::move(warn))) {}

asio::awaitable<Opened> RestOpener::open(net::OwningLoop /*home*/,
                                         downstream::LinkPurpose /*purpose*/,
                                         std::weak_ptr<downstream::LinkListener> /*listener*/,
                                         resilience::Deadline /*deadline*/) {
    return opened_at_once(backend_);
}

net::NetResult<std::unique_ptr<downstream::LinkOpener>> make_rest_opener(
    RestApi api, std::function<void(const std::string&)> warn) {
    auto client = net::make_http_client(api.url, {.max_connections = api.connections,
                                                  .max_idle = api.kept_alive,
                                                  .connect_wait = api.connect_timeout});
    if (!client) {
        return std::move(client).error();
    }
    return std::unique_ptr<downstream::LinkOpener>{
        std::make_unique<RestOpener>(std::move(api), std::move(*client), std::move(warn))};
}

}  // namespace holdfast::rest
