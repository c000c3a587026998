#include "runtime/servers/npx_opener.hpp"

#include <utility>

#include "runtime/servers/npx_cache.hpp"

namespace holdfast::runtime {
namespace {

using downstream::CallFault;
using Opened = resilience::Result<std::shared_ptr<downstream::Link>, CallFault>;

boost::asio::awaitable<Opened> open_explained(std::shared_ptr<downstream::LinkOpener> opener,
                                              std::string npx_folder, net::OwningLoop home,
                                              downstream::LinkPurpose purpose,
                                              std::weak_ptr<downstream::LinkListener> listener,
                                              resilience::Deadline deadline) {
    auto opened =
        co_await opener->open(std::move(home), std::move(purpose), std::move(listener), deadline);
    if (opened || opened.error().kind == CallFault::Kind::cancelled) {
        co_return opened;
    }
    const auto broken = broken_package_in(npx_folder);
    if (!broken) {
        co_return opened;
    }
    CallFault fault = opened.error();
    fault.message +=
        (fault.message.ends_with('.') ? " " : ". ") + broken_package_text(npx_folder, *broken);
    co_return fault;
}

}  // namespace

NpxOpener::NpxOpener(std::unique_ptr<downstream::LinkOpener> opener, std::string npx_folder)
    : opener_(std::move(opener)), npx_folder_(std::move(npx_folder)) {}

boost::asio::awaitable<Opened> NpxOpener::open(net::OwningLoop home,
                                               downstream::LinkPurpose purpose,
                                               std::weak_ptr<downstream::LinkListener> listener,
                                               resilience::Deadline deadline) {
    return open_explained(opener_, npx_folder_, std::move(home), std::move(purpose),
                          std::move(listener), deadline);
}

std::vector<std::string> NpxOpener::last_log_lines(std::size_t count) const {
    return opener_->last_log_lines(count);
}

}  // namespace holdfast::runtime
