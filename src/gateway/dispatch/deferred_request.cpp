#include "dispatch/deferred_request.hpp"

#include "jsonrpc/json_writer.hpp"
#include "net/run_on.hpp"

namespace holdfast::dispatch {
namespace {

std::string text_of(const jsonrpc::Message& message) {
    jsonrpc::JsonWriter writer;
    writer.begin_object();
    writer.key("jsonrpc").text("2.0");
    writer.key("id").raw(message.id);
    writer.key("method").text(message.method);
    if (message.body.exists()) {
        writer.key("params").raw(message.body.text());
    }
    writer.end_object();
    return writer.take();
}

std::vector<std::pair<std::string, std::string>> texts_of(const net::HttpHeaders* headers) {
    std::vector<std::pair<std::string, std::string>> texts;
    if (headers != nullptr) {
        texts.reserve(headers->lines().size());
        for (const net::HttpHeader& line : headers->lines()) {
            texts.emplace_back(line.name, line.value);
        }
    }
    return texts;
}

}  // namespace

DeferredRequest::DeferredRequest(const agents::IncomingRequest& request)
    : text_(text_of(request.message)),
      header_texts_(texts_of(request.headers)),
      has_headers_(request.headers != nullptr),
      agent_headers_(request.agent_headers),
      via_(request.via),
      waited_(request.waited),
      from_(request.owned()) {
    for (const auto& [name, value] : header_texts_) {
        headers_.add(name, value);
    }
}

void DeferredRequest::cancel() {
    net::run_on(from_.loop, [self = shared_from_this()] {
        if (self->has_begun_) {
            // The call has replaced this request.
            if (self->from_.session) {
                self->from_.session->cancel(self->from_.id);
            }
        } else if (!std::exchange(self->is_cancelled_, true)) {
            self->from_.port->abandon();
            agents::leave(self->from_);
        }
    });
}

agents::IncomingRequest DeferredRequest::begun(const jsonrpc::Message& message,
                                               resilience::Duration waited) {
    has_begun_ = true;
    return {.message = message,
            .agent = from_.agent,
            .session = from_.session,
            .port = from_.port,
            .loop = from_.loop,
            .headers = has_headers_ ? &headers_ : nullptr,
            .agent_headers = agent_headers_,
            .via = via_,
            .waited = waited};
}

}  // namespace holdfast::dispatch
