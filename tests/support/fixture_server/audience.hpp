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

/// Who is told when something changes: every legacy session, and every modern subscription that
/// asked for it.
///
/// Thread-safety: none; belongs to the loop.
class Audience final {
public:
    /// A session that has been initialized; it leaves by ending.
    void join(const std::shared_ptr<Session>& session);

    /// A call of `subscriptions/listen`: acknowledges it, and tells it of changes until `leave`.
    /// False if there are too many.
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
