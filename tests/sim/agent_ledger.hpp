#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "mcp/revision.hpp"
#include "sim/inhabitant.hpp"
#include "sim/wire.hpp"

namespace holdfast::sim {

/// The properties of an agent in one world.
struct AgentTraits {
    std::string name = {};  ///< `A1`; also its principal.
    mcp::Revision revision = mcp::kNewestLegacy;
    json::object capabilities = {};

    [[nodiscard]] bool is_modern() const { return mcp::era_of(revision) == mcp::Era::modern; }
    [[nodiscard]] std::string mark(std::size_t number) const {
        return "<" + name + ">#" + std::to_string(number);
    }
};

/// The state of the requests that an agent sent with one id. Using an id twice is a fault of the
/// agent; each request must still be answered once.
struct SentRequest {
    json::object last = {};
    std::string mark = {};  ///< Of the last one.
    TimePoint last_sent_at = {};
    std::size_t sent = 0;
    std::size_t answered = 0;
    std::size_t cancelled = 0;
    std::size_t listens = 0;  ///< Sent listens; they stay open until one side ends them.
    /// It answers a parked call in time and without changes.
    bool is_rightful_resume = false;

    [[nodiscard]] bool is_listen() const { return listens > 0; }
    [[nodiscard]] bool is_open() const { return answered < sent; }
};

/// The ledger of one agent connection: records what was sent, and checks everything received.
class AgentLedger final {
public:
    AgentLedger(const AgentTraits& traits, Surroundings& world) : traits_(traits), world_(world) {}

    void on_sent(const json::object& request, const std::string& mark);
    void on_cancelled(const json::value& id);
    /// A message without a readable id was sent.
    void on_unreadable_sent() { ++unreadable_; }
    void on_subscribed(const std::string& uri) { uris_.insert(uri); }
    void expect_resumed(const json::value& id);

    /// A message as received, and its parsed form.
    void on_received(const std::string& text, const json::object& message);

    /// Checks that every pending answer has arrived.
    void check_settled() const;

    /// Returns null if the id was not used.
    [[nodiscard]] const SentRequest* find(const json::value& id) const;
    [[nodiscard]] std::vector<json::value> open_ids() const;
    [[nodiscard]] std::size_t sent_count() const;

private:
    void on_response(const std::string& text, const json::object& message);
    void check_result(const SentRequest& request, const json::object& result) const;
    void check_error(const SentRequest& request, const json::object& error) const;
    void check_input_required(const json::object& result) const;
    void on_question(const json::object& message);
    [[nodiscard]] bool can_be_asked(const json::object& question) const;
    void on_notification(const std::string& text, const json::object& message);
    void on_progress(const std::string& text, const json::object& params);
    void on_subscription_notice(const std::string& method, const json::object& params);
    void check_marks(const std::string& text, const std::string& allowed) const;
    [[nodiscard]] const SentRequest* open_listen_of(const json::object& params) const;
    void complain(const std::string& words, const json::object& about) const;

    const AgentTraits& traits_;
    Surroundings& world_;
    std::map<std::string, SentRequest> requests_;  // by id
    std::map<std::string, std::string> tokens_;    // progress token to the id of its request
    std::map<std::string, double> last_progress_;  // by token
    std::set<std::string> questions_;              // ids of the gateway's questions
    std::set<std::string> acknowledged_;           // ids of listens
    std::set<std::string> uris_;                   // ever subscribed to
    std::size_t unreadable_ = 0;
    std::size_t answers_without_id_ = 0;
};

}  // namespace holdfast::sim
