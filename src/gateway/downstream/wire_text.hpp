#pragma once

#include <cstdint>
#include <optional>
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

// The messages of links on any transport: requests with the parts that a link adds, the handshake
// of both eras, and answers. Ids and tokens are JSON as written.

namespace holdfast::downstream {

/// The parts of a request that a link adds.
struct RequestDress {
    std::string_view id = {};
    std::string_view progress_token = {};  ///< May be empty.
    mcp::Revision revision = mcp::kNewestLegacy;
    std::string_view client_info = {};  ///< The gateway's own, for agents without one.
};

/// Returns the text of a request. A legacy request has `_meta` only if it is not empty; a modern
/// one has its envelope there. The gateway's own requests declare no capabilities.
[[nodiscard]] std::string dressed_request(const Request& request, const RequestDress& dress);

/// `options_info` is `LinkOptions::client_info`; the purpose's own takes precedence.
[[nodiscard]] std::string initialize_text(std::string_view id, const LinkPurpose& purpose,
                                          std::string_view options_info);
[[nodiscard]] std::string discover_text(std::string_view id, const LinkPurpose& purpose,
                                        std::string_view options_info,
                                        mcp::Revision revision = mcp::kNewestModern);
[[nodiscard]] std::string initialized_text();
/// Returns the members of the params of `subscriptions/listen`.
[[nodiscard]] std::string listen_members(const Interests& interests);
/// `reason` is plain text; may be empty.
[[nodiscard]] std::string cancelled_text(std::string_view request_id, std::string_view reason);

/// Makes an answer from a response that a reader found in this text. Only a modern result has a
/// type.
[[nodiscard]] Answer answer_from(jsonrpc::PaddedText text, const jsonrpc::Message& response,
                                 mcp::Era era);
/// Reads a text with the thread's reader. Fails with `malformed` if it is not a JSON-RPC response.
[[nodiscard]] CallResult read_answer(jsonrpc::PaddedText text, mcp::Era era);

/// Returns what the answer to `server/discover` implies about the era. `is_child`: see
/// `mcp::concluded`.
[[nodiscard]] mcp::ProbeConclusion probe_conclusion(const Answer& answer, bool is_child);

using NegotiatedResult = resilience::Result<Negotiated, CallFault>;

/// Reads the answer to `initialize`. Fails with a message if the downstream refused or answered
/// with an unknown revision.
[[nodiscard]] NegotiatedResult negotiated_by_initialize(const Answer& answer);
/// Reads the result of `server/discover` for the revision concluded from it.
[[nodiscard]] NegotiatedResult negotiated_by_discover(const Answer& answer, mcp::Revision revision);

/// Parses the id or progress token of a request of a link; returns nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> number_from(std::string_view json);

/// Returns the message of an error answer, decoded and cut to a displayable length.
[[nodiscard]] std::string error_message_of(const Answer& answer);

/// The fault of a server that must speak the modern era and does not.
[[nodiscard]] CallFault not_modern_fault();

}  // namespace holdfast::downstream
