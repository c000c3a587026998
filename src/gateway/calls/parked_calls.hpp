#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "holdfast/resilience/synchronized.hpp"

namespace holdfast::agents {
struct AgentRequest;
}

namespace holdfast::surface {
struct Callable;
}

namespace holdfast::calls {

class Call;
struct CallPlan;

/// What the request that continues a parked call must repeat. Unlike the call, it belongs to no
/// loop.
struct ParkedRequest {
    std::string principal = {};
    std::string_view method = {};  ///< Static storage.
    std::string server = {};
    std::string name = {};       ///< The server's own name of the tool or prompt, or the URI.
    std::string arguments = {};  ///< JSON as the agent wrote it; may be empty.
};

/// `requested` is the tool that the agent called if the plan names a substitute, else null.
[[nodiscard]] ParkedRequest parked_request_of(const agents::AgentRequest& origin,
                                              const CallPlan& plan,
                                              const surface::Callable* requested);
/// Compares the arguments as values: an agent may write the same ones in another way.
[[nodiscard]] bool is_same_request(const ParkedRequest& one, const ParkedRequest& other);

/// Calls that wait for a modern agent to return with its answers, by the token that the agent sends
/// back.
///
/// Thread-safety: from any thread.
class ParkedCalls final {
public:
    explicit ParkedCalls(std::size_t max_calls) : max_calls_(max_calls) {}

    /// Returns false if too many calls are parked.
    [[nodiscard]] bool try_park(const std::string& token, std::shared_ptr<Call> call,
                                ParkedRequest request);
    /// Returns the request that was parked with this token, even if the call has been cancelled.
    /// Null if there is no such call. The call stays in the table, so that a request of another
    /// agent cannot disturb it.
    [[nodiscard]] std::shared_ptr<const ParkedRequest> find(const std::string& token) const;
    /// Removes the call from the table. Null if there is no such call.
    [[nodiscard]] std::shared_ptr<Call> take(const std::string& token);
    /// Cancels all parked calls, because the gateway stops. `find` still knows them, so that an
    /// agent that returns afterwards is not invited to repeat a call that may have taken effect.
    void cancel_all();
    /// Whether the call with this token was ended by `cancel_all`.
    [[nodiscard]] bool was_cancelled(const std::string& token) const;
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        std::shared_ptr<Call> call = {};  ///< Null = cancelled.
        std::shared_ptr<const ParkedRequest> request = {};
    };

    struct Table {
        std::unordered_map<std::string, Entry> calls = {};
        std::size_t cancelled = 0;  // of `calls`
    };

    const std::size_t max_calls_;
    resilience::Synchronized<Table> table_;
};

}  // namespace holdfast::calls
