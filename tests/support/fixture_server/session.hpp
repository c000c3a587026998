#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "jsonrpc/message.hpp"
#include "support/fixture_server/outlet.hpp"

namespace holdfast::fixture {

class Call;

/// What the server stores for one peer: a legacy session, or a connection. Over modern HTTP every
/// request has its own, because that era has no sessions.
///
/// Thread-safety: none; belongs to the loop.
class Session final {
public:
    /// Called once with the result or the error of a request that the server sent.
    using AnswerListener = std::function<void(boost::json::object, bool is_error)>;

    // From `initialize`.
    bool is_initialized = false;
    boost::json::object client_identity = {};
    boost::json::object client_capabilities = {};
    std::string protocol_version = "2025-03-26";  // the default for a client that sends none

    std::string log_level = "debug";
    std::set<std::string, std::less<>> subscriptions = {};
    std::uint64_t counter = 0;  ///< For the tool of that name.
    /// The header `Authorization` of the last HTTP request; for a WebSocket, of the upgrade.
    std::string authorization = {};
    /// For messages that belong to no request; null if they cannot be sent.
    std::shared_ptr<Outlet> unrelated = nullptr;

    /// Adds a call in flight by the id of its request, as written. Returns false if there are too
    /// many.
    [[nodiscard]] bool add(const std::shared_ptr<Call>& call);
    void remove(const Call& call);
    void cancel(std::string_view id);
    void cancel_all();

    /// Returns a new id for a request to the client; its answer goes to the listener.
    [[nodiscard]] std::string expect_answer(AnswerListener listener);
    void forget_answer(const std::string& id) { listeners_.erase(id); }
    /// Handles a response of the client. Ignores one without a listener.
    void on_response(const jsonrpc::Message& message);

    void send_unrelated(std::string_view message) const {
        if (unrelated) {
            unrelated->send(message);
        }
    }

private:
    static constexpr std::size_t kMaxCalls = 10'000;

    std::map<std::string, std::shared_ptr<Call>, std::less<>> calls_;
    std::map<std::string, AnswerListener, std::less<>> listeners_;
    std::uint64_t next_request_ = 1;
};

/// Parses the text. Returns an empty object if it is not one, or exceeds what Boost.JSON can
/// represent.
[[nodiscard]] boost::json::object object_of(std::string_view json);

}  // namespace holdfast::fixture
