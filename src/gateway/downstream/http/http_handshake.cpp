#include "downstream/http/http_handshake.hpp"

#include <algorithm>
#include <utility>

#include "downstream/http/http_heads.hpp"
#include "downstream/http/http_reply.hpp"
#include "downstream/http_fault.hpp"
#include "downstream/wire_text.hpp"
#include "mcp/era_probe.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;
using Kind = CallFault::Kind;
using resilience::Result;
using Handshake = std::shared_ptr<const HttpHandshake>;
using Agreed = Result<HttpAgreement, HandshakeFault>;

// Differs from all request ids of the link.
constexpr std::string_view kHandshakeId = "\"handshake\"";

/// Ignores everything: there is no agent to ask and no list to change before the handshake ends.
class IgnoringListener final : public StreamListener {
public:
    void on_notification(Notification /*notification*/) override {}
    void on_request(ServerRequest /*request*/) override {}
};

struct Reply {
    Answer answer;
    std::string session_id = {};
};

std::string session_id_in(const net::HttpHeaders& headers) {
    const std::string_view id = headers.find("Mcp-Session-Id").value_or("");
    const bool is_legal = std::ranges::all_of(
        id, [](char character) { return character >= 0x21 && character <= 0x7E; });
    return is_legal ? std::string{id} : std::string{};
}

asio::awaitable<CallResult> read_reply(Handshake handshake, net::HttpClientResponse& response,
                                       mcp::Era era) {
    const std::size_t max_bytes = handshake->options->link.max_message_bytes;
    if (is_event_stream(response)) {
        EventReading reading{.id = std::string{kHandshakeId},
                             .era = era,
                             .max_message_bytes = max_bytes,
                             .deadline = handshake->deadline};
        IgnoringListener listener;
        auto ended = co_await read_events(response, reading, listener);
        if (!ended) {
            co_return broken_off_fault();
        }
        co_return std::move(*ended);
    }
    auto body = co_await response.read_all(max_bytes, handshake->deadline);
    if (!body) {
        co_return fault_of_body(body.error());
    }
    co_return answer_in_body(response, std::move(*body), kHandshakeId, era);
}

asio::awaitable<Result<Reply, CallFault>> exchange(Handshake handshake, std::string headers,
                                                   std::string text, mcp::Era era) {
    net::HttpClientRequest request{.method = "POST",
                                   .target = handshake->options->url.target,
                                   .headers = std::move(headers),
                                   .body = std::move(text)};
    auto response =
        co_await handshake->client->send(handshake->home, std::move(request), handshake->deadline);
    if (!response) {
        co_return fault_of(response.error());
    }
    auto answer = co_await read_reply(handshake, **response, era);
    if (!answer) {
        co_return std::move(answer).error();
    }
    co_return Reply{.answer = std::move(*answer),
                    .session_id = session_id_in((*response)->headers())};
}

asio::awaitable<Result<Reply, CallFault>> discover(Handshake handshake, mcp::Revision revision) {
    const LinkOptions& link = handshake->options->link;
    const HttpHeads heads{revision, {}, handshake->headers};
    std::string headers = heads.for_request(Request{.method = "server/discover"}, nullptr);
    std::string text = discover_text(kHandshakeId, handshake->purpose, link.client_info, revision);
    co_return co_await exchange(handshake, std::move(headers), std::move(text), mcp::Era::modern);
}

mcp::ProbeConclusion conclusion_of(const Result<Reply, CallFault>& reply) {
    if (reply) {
        return probe_conclusion(reply->answer, false);
    }
    const CallFault& fault = reply.error();
    if (fault.http_status != 0) {
        return mcp::concluded(
            {.kind = mcp::ProbeAnswer::Kind::bare_status, .http_status = fault.http_status}, false);
    }
    if (fault.kind == Kind::malformed) {
        // It answers, but does not know the method.
        return {.verdict = mcp::ProbeVerdict::legacy};
    }
    return {.verdict = mcp::ProbeVerdict::unavailable};
}

// A server that cannot complete the handshake counts as not connected, whatever it answered.
HandshakeFault not_opened(CallFault fault) {
    if (fault.kind == Kind::http_status || fault.kind == Kind::connection_lost) {
        fault.kind = Kind::not_connected;
    }
    fault.delivery = resilience::Delivery::not_sent;
    return {.fault = std::move(fault)};
}

HandshakeFault refused(const Answer& answer) {
    const bool is_unauthorized = answer.http_status == 401 || answer.http_status == 403;
    return not_opened({.kind = is_unauthorized ? Kind::unauthorized : Kind::not_connected,
                       .message = "The server refused the handshake: " + error_message_of(answer),
                       .http_status = answer.http_status});
}

HandshakeFault fault_in(Result<Reply, CallFault> reply) {
    return reply ? refused(reply->answer) : not_opened(std::move(reply).error());
}

asio::awaitable<Agreed> agree_modern(Handshake handshake, Result<Reply, CallFault> reply,
                                     mcp::Revision revision) {
    if (reply && reply->answer.is_error()) {
        // The server named the revision it wants, which may be the very one it refused.
        reply = co_await discover(handshake, revision);
    }
    if (!reply || reply->answer.is_error()) {
        co_return fault_in(std::move(reply));
    }
    auto negotiated = negotiated_by_discover(reply->answer, revision);
    if (!negotiated) {
        co_return not_opened(std::move(negotiated).error());
    }
    co_return HttpAgreement{.negotiated = std::move(*negotiated)};
}

bool is_unknown_transport(int status) {
    return status == 400 || status == 404 || status == 405;
}

// The server waits for this notification before it accepts requests.
asio::awaitable<Result<void, CallFault>> confirm(Handshake handshake, HttpAgreement agreement) {
    const HttpHeads heads{agreement.negotiated.revision, agreement.session_id, handshake->headers};
    net::HttpClientRequest request{.method = "POST",
                                   .target = handshake->options->url.target,
                                   .headers = heads.for_message("notifications/initialized"),
                                   .body = initialized_text()};
    auto response =
        co_await handshake->client->send(handshake->home, std::move(request), handshake->deadline);
    if (!response) {
        co_return fault_of(response.error());
    }
    const auto body = co_await (*response)->read_all(handshake->options->link.max_message_bytes,
                                                     handshake->deadline);
    if ((*response)->status() >= 300) {
        co_return fault_of_status((*response)->status(), (*response)->headers(),
                                  body ? *body : std::string{});
    }
    co_return Result<void, CallFault>{};
}

asio::awaitable<Agreed> agree_legacy(Handshake handshake) {
    const LinkOptions& link = handshake->options->link;
    const HttpHeads heads{handshake->headers};
    std::string text = initialize_text(kHandshakeId, handshake->purpose, link.client_info);
    auto reply =
        co_await exchange(handshake, heads.for_message({}), std::move(text), mcp::Era::legacy);
    if (!reply || reply->answer.is_error()) {
        HandshakeFault fault = fault_in(std::move(reply));
        fault.may_be_old_transport = is_unknown_transport(fault.fault.http_status);
        co_return fault;
    }
    auto negotiated = negotiated_by_initialize(reply->answer);
    if (!negotiated) {
        co_return not_opened(std::move(negotiated).error());
    }
    HttpAgreement agreement{.negotiated = std::move(*negotiated),
                            .session_id = std::move(reply->session_id)};
    agreement.negotiated.has_session_id = !agreement.session_id.empty();
    const auto confirmed = co_await confirm(handshake, agreement);
    if (!confirmed) {
        co_return not_opened(confirmed.error());
    }
    co_return agreement;
}

}  // namespace

asio::awaitable<Agreed> agree(Handshake handshake) {
    if (handshake->purpose.known_era == mcp::Era::legacy) {
        co_return co_await agree_legacy(handshake);
    }
    auto reply = co_await discover(handshake, mcp::kNewestModern);
    const mcp::ProbeConclusion conclusion = conclusion_of(reply);
    switch (conclusion.verdict) {
        case mcp::ProbeVerdict::modern:
            co_return co_await agree_modern(handshake, std::move(reply),
                                            conclusion.version.value_or(mcp::kNewestModern));
        case mcp::ProbeVerdict::legacy:
        case mcp::ProbeVerdict::restart:
            if (handshake->purpose.is_era_required) {
                co_return not_opened(not_modern_fault());
            }
            co_return co_await agree_legacy(handshake);
        case mcp::ProbeVerdict::incompatible:
            co_return not_opened(
                {.kind = Kind::not_connected,
                 .message = "The server speaks only protocol versions that the gateway does not "
                            "know."});
        case mcp::ProbeVerdict::unauthorized:
        case mcp::ProbeVerdict::unavailable:
            break;
    }
    co_return fault_in(std::move(reply));
}

}  // namespace holdfast::downstream
