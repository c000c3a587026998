#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "support/fixture_server/call.hpp"
#include "support/fixture_server/session.hpp"

namespace holdfast::fixture {

enum class Change : std::uint8_t { tools, prompts, resources };

/// Distributes notifications of changes: to every legacy session, and to every modern subscription
/// that requested them.
///
/// Thread-safety: none; belongs to the loop.
class Audience final {
public:
    /// Adds an initialized session; it leaves when it ends.
    void join(const std::shared_ptr<Session>& session);

    /// Acknowledges a call of `subscriptions/listen` and sends it changes until `leave`. Returns
    /// false if there are too many.
    [[nodiscard]] bool listen(const std::shared_ptr<Call>& call);
    void leave(const Call& call);
    /// Answers all subscriptions, which ends them.
    void end_listens();

    void announce(Change change);
    /// A resource has new content.
    void announce_update(std::string_view uri);

private:
    struct Listen {
        std::shared_ptr<Call> call = nullptr;
        boost::json::object filter = {};
    };
    static constexpr std::size_t kMaxListens = 1'000;

    std::vector<std::weak_ptr<Session>> sessions_;
    std::vector<Listen> listens_;
};

}  // namespace holdfast::fixture
