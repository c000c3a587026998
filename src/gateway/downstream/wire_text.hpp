#pragma once

#include <string>
#include <string_view>

#include "downstream/answer.hpp"
#include "downstream/link.hpp"
#include "downstream/link_opener.hpp"
#include "downstream/request.hpp"
#include "jsonrpc/message.hpp"
#include "jsonrpc/padded_text.hpp"
#include "mcp/era_probe.hpp"
#include "mcp/revision.hpp"

// What links write and read, whatever carries it: requests with what a link adds to them, the
// handshake of both eras, and answers. Ids and tokens are JSON as written.

namespace holdfast::downstream {

/// What a link adds to a request.
struct RequestDress {
    std::string_view id = {};
    std::string_view progress_token = {};  ///< Empty = none.
    mcp::Revision revision = mcp::kNewestLegacy;
    std::string_view client_info = {};  ///< The gateway's own, for agents that have not told one.
};

/// A legacy request has `_meta` only if there is something to say in it; a modern one has its
/// envelope there. One that the gateway sends for itself declares no capabilities.
[[nodiscard]] std::string dressed_request(const Request& request, const RequestDress& dress);

/// `options_info` is `LinkOptions::client_info`; the purpose's own goes before it.
[[nodiscard]] std::string initialize_text(std::string_view id, const LinkPurpose& purpose,
                                          std::string_view options_info);
[[nodiscard]] std::string discover_text(std::string_view id, const LinkPurpose& purpose,
                                        std::string_view options_info,
                                        mcp::Revision revision = mcp::kNewestModern);
[[nodiscard]] std::string initialized_text();
/// The members of the params of `subscriptions/listen`.
[[nodiscard]] std::string listen_members(const Interests& interests);
/// `reason` is plain text; empty = none.
[[nodiscard]] std::string cancelled_text(std::string_view request_id, std::string_view reason);

/// Makes an answer of a response that a reader has found in this text. Only a modern result has a
/// type.
[[nodiscard]] Answer answer_from(jsonrpc::PaddedText text, const jsonrpc::Message& response,
                                 mcp::Era era);
/// Reads a text with the reader of the thread. `malformed` if it is no JSON-RPC response.
[[nodiscard]] CallResult read_answer(jsonrpc::PaddedText text, mcp::Era era);

/// What the answer to `server/discover` says about the era. `is_child`: see `mcp::concluded`.
[[nodiscard]] mcp::ProbeConclusion probe_conclusion(const Answer& answer, bool is_child);

using NegotiatedResult = resilience::Result<Negotiated, CallFault>;

/// Out of the answer to `initialize`. Fails in words when the downstream refused, or answered with
/// a revision that we do not know.
[[nodiscard]] NegotiatedResult negotiated_by_initialize(const Answer& answer);
/// Out of a result of `server/discover`, for the revision that was concluded from it.
[[nodiscard]] NegotiatedResult negotiated_by_discover(const Answer& answer, mcp::Revision revision);

/// The message of an error answer, decoded and cut to a length that can be shown.
[[nodiscard]] std::string error_message_of(const Answer& answer);

}  // namespace holdfast::downstream
