#include "downstream/downstream.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "downstream/supervision/downstream_call.hpp"
#include "downstream/supervision/downstream_core.hpp"
#include "downstream/supervision/spawned_call.hpp"

namespace holdfast::downstream {

std::shared_ptr<Downstream> Downstream::make(net::OwningLoop home,
                                             std::unique_ptr<LinkOpener> opener,
                                             DownstreamOptions options,
                                             std::weak_ptr<DownstreamWatcher> watcher) {
    // Not make_shared: the constructor is private.
    return std::shared_ptr<Downstream>{new Downstream{DownstreamCore::make(
        std::move(home), std::move(opener), std::move(options), std::move(watcher))}};
}

Downstream::Downstream(std::shared_ptr<DownstreamCore> core) : core_(std::move(core)) {}

// NOLINTNEXTLINE(bugprone-exception-escape): only when out of memory, which ends the process.
Downstream::~Downstream() {
    // The core must end on the home loop, and this may run on another one.
    boost::asio::post(core_->home().executor, [core = core_] { core->abandon(); });
}

void Downstream::start() {
    core_->start();
}

void Downstream::on_available() {
    core_->on_available();
}

bool Downstream::pause() {
    return core_->pause();
}

bool Downstream::resume() {
    return core_->resume();
}

bool Downstream::restart() {
    return core_->restart();
}

boost::asio::awaitable<void> Downstream::stop() {
    return DownstreamCore::stop(core_);
}

boost::asio::awaitable<CallResult> Downstream::call(net::OwningLoop caller, Request request,
                                                    std::shared_ptr<CallListener> listener) {
    return run_call(core_, std::move(caller), std::move(request), std::move(listener));
}

std::shared_ptr<StartedCall> Downstream::start_call(const net::OwningLoop& caller,
                                                    const Request& request,
                                                    const std::shared_ptr<CallObserver>& observer) {
    return spawn_call(caller, call(caller, request, observer), observer);
}

void Downstream::notify(std::string_view method, std::string params, const std::string& agent_key) {
    core_->notify(method, std::move(params), agent_key);
}

void Downstream::set_subscriptions(const std::string& agent_key, std::vector<std::string> uris) {
    core_->set_subscriptions(agent_key, std::move(uris));
}

void Downstream::set_log_level(const std::string& agent_key, std::string_view level) {
    core_->set_log_level(agent_key, level);
}

void Downstream::end_agent(const std::string& agent_key) {
    core_->end_agent(agent_key);
}

const std::string& Downstream::name() const noexcept {
    return core_->name();
}

DownstreamStatus Downstream::status() const {
    return core_->status();
}

std::vector<std::string> Downstream::last_log_lines(std::size_t count) const {
    return core_->last_log_lines(count);
}

}  // namespace holdfast::downstream
