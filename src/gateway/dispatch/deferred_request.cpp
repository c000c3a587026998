#include "dispatch/deferred_request.hpp"

#include "jsonrpc/json_text.hpp"

namespace holdfast::dispatch {
namespace {

std::string text_of(const jsonrpc::Message& message) {
    std::string text = R"({"jsonrpc":"2.0","id":)" + std::string{message.id} + R"(,"method":)";
    jsonrpc::append_quoted(text, message.method);
    if (message.body.exists()) {
        text.append(R"(,"params":)").append(message.body.text());
    }
    return text + '}';
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
      agent_(request.agent),
      session_(request.session),
      port_(request.port),
      loop_(request.loop),
      agent_headers_(request.agent_headers),
      via_(request.via) {
    headers_.reserve(header_texts_.size());
    for (const auto& [name, value] : header_texts_) {
        headers_.add(name, value);
    }
}

agents::IncomingRequest DeferredRequest::with(const jsonrpc::Message& message) const {
    return {.message = message,
            .agent = agent_,
            .session = session_,
            .port = port_,
            .loop = loop_,
            .headers = has_headers_ ? &headers_ : nullptr,
            .agent_headers = agent_headers_,
            .via = via_};
}

}  // namespace holdfast::dispatch
