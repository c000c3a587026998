#include "downstream/downstream.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "downstream/supervision/downstream_core.hpp"
#include "downstream/supervision/spawned_call.hpp"

namespace holdfast::downstream {

std::shared_ptr<Downstream> Downstream::make(net::OwningLoop home,
                                             std::unique_ptr<LinkOpener> opener,
                                             DownstreamOptions options,
                                             std::weak_ptr<DownstreamWatcher> watcher) {
    auto core = DownstreamCore::make(std::move(home), std::move(opener), std::move(options),
                                     std::move(watcher));
    Downstream* const observed = core.get();
    // The coroutines of the core own it too, so the last owner outside ends it. What is to be ended
    // belongs to the home loop, and the last owner may be on another one.
    return {observed, [core = std::move(core)](Downstream*) {
                boost::asio::post(core->home().executor, [core] { core->abandon(); });
            }};
}

std::weak_ptr<StartedCall> Downstream::start_call(const net::OwningLoop& caller,
                                                  const Request& request,
                                                  const std::shared_ptr<CallObserver>& observer) {
    return spawn_call(caller, call(caller, request, observer), observer);
}

}  // namespace holdfast::downstream
