#pragma once

#include <memory>

#include "downstream/http/http_link_state.hpp"
#include "downstream/link.hpp"
#include "downstream/supervision/background_tasks.hpp"

namespace holdfast::downstream {

/// Keeps one `subscriptions/listen` stream open at a modern server. When the interests change, the
/// old stream ends only after the new one is acknowledged, so that no event is missed. A stream
/// that breaks is reopened with a growing delay; changes that may have been missed are then
/// reported.
///
/// Thread-safety: none; belongs to the home loop of its link.
class HttpListening final : public std::enable_shared_from_this<HttpListening> {
public:
    explicit HttpListening(std::weak_ptr<HttpLinkState> state) : state_(std::move(state)) {}

    void want(Interests interests);

private:
    class Listener;
    struct Listen;

    static boost::asio::awaitable<void> run(std::shared_ptr<HttpListening> self,
                                            std::shared_ptr<HttpLinkState> state,
                                            std::shared_ptr<Listen> listen);
    static boost::asio::awaitable<bool> listen_once(std::shared_ptr<HttpListening> self,
                                                    std::shared_ptr<HttpLinkState> state,
                                                    std::shared_ptr<Listen> listen);
    void on_acknowledged(const std::shared_ptr<Listen>& listen);

    const std::weak_ptr<HttpLinkState> state_;  // its tasks own this
    Interests wanted_{.lists = false};
    std::shared_ptr<Listen> current_;  // acknowledged
    std::shared_ptr<Listen> opening_;  // not yet acknowledged
};

}  // namespace holdfast::downstream
