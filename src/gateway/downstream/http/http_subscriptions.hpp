#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "downstream/http/http_link_state.hpp"

namespace holdfast::downstream {

/// Sends resource subscriptions to a legacy server, one request at a time, so that the latest state
/// arrives last.
///
/// Thread-safety: none; belongs to the home loop of its link.
class HttpSubscriptions final : public std::enable_shared_from_this<HttpSubscriptions> {
public:
    explicit HttpSubscriptions(std::weak_ptr<HttpLinkState> state) : state_(std::move(state)) {}

    void want(std::vector<std::string> uris);

private:
    struct Change {
        std::string_view method = {};
        std::string uri = {};
    };

    static boost::asio::awaitable<void> run(std::shared_ptr<HttpSubscriptions> self,
                                            std::shared_ptr<HttpLinkState> state);
    /// Removes and returns the next difference between the wanted and the sent subscriptions.
    [[nodiscard]] std::optional<Change> take_change();

    const std::weak_ptr<HttpLinkState> state_;  // its tasks own this
    std::set<std::string> wanted_;
    std::set<std::string> sent_;
    bool is_running_ = false;
};

}  // namespace holdfast::downstream
