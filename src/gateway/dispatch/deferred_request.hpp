#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/incoming_request.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::dispatch {

/// A request with all that it points to, so that it can be worked on after its message has gone.
/// That comes soon, so there is nothing to cancel.
///
/// Thread-safety: none; belongs to the loop of the request.
class DeferredRequest final : public agents::AgentCall {
public:
    explicit DeferredRequest(const agents::IncomingRequest& request);

    void cancel() override {}

    /// The message, to be read again.
    [[nodiscard]] const jsonrpc::PaddedText& text() const noexcept { return text_; }
    /// The request with the message that was read. Points into both.
    [[nodiscard]] agents::IncomingRequest with(const jsonrpc::Message& message) const;

private:
    const jsonrpc::PaddedText text_;
    const std::vector<std::pair<std::string, std::string>> header_texts_;
    net::HttpHeaders headers_;  // views into the texts
    const bool has_headers_;
    const std::shared_ptr<const agents::Agent> agent_;
    const std::shared_ptr<agents::AgentSession> session_;
    const std::shared_ptr<agents::ReplyPort> port_;
    const net::OwningLoop loop_;
    const std::shared_ptr<const downstream::AgentHeaders> agent_headers_;
    const std::string via_;
};

}  // namespace holdfast::dispatch
