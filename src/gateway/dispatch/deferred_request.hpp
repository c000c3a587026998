#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/incoming_request.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::dispatch {

/// A request with copies of everything that it refers to, so that it can be handled after its
/// message is gone. Its agent can cancel it until then.
///
/// Thread-safety: `cancel` from any loop; all else belongs to the loop of the request.
class DeferredRequest final : public agents::AgentCall,
                              public std::enable_shared_from_this<DeferredRequest> {
public:
    explicit DeferredRequest(const agents::IncomingRequest& request);

    void cancel() override;

    [[nodiscard]] const agents::AgentRequest& from() const noexcept { return from_; }
    [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }
    /// How long it had waited when it was deferred.
    [[nodiscard]] resilience::Duration waited() const noexcept { return waited_; }
    /// The message, to be read again.
    [[nodiscard]] const jsonrpc::PaddedText& text() const noexcept { return text_; }
    /// Starts to handle it: returns the request with the message that was read, and refers to both.
    /// Must not be cancelled.
    [[nodiscard]] agents::IncomingRequest begun(const jsonrpc::Message& message,
                                                resilience::Duration waited = {});

private:
    const jsonrpc::PaddedText text_;
    const std::vector<std::pair<std::string, std::string>> header_texts_;
    net::HttpHeaders headers_;  // views into the texts
    const bool has_headers_;
    const std::shared_ptr<const downstream::AgentHeaders> agent_headers_;
    const std::string via_;
    const resilience::Duration waited_;
    const agents::AgentRequest from_;
    bool is_cancelled_ = false;
    bool has_begun_ = false;
};

}  // namespace holdfast::dispatch
