#include "downstream/supervision/link_closing.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

namespace holdfast::downstream {
namespace {

boost::asio::awaitable<void> close_link(std::shared_ptr<Link> link, CallFault why) {
    co_await link->close(std::move(why));
}

}  // namespace

void close_in_background(const boost::asio::any_io_executor& home, std::shared_ptr<Link> link,
                         const CallFault& why) {
    // A link that fails to close is ignored, because nothing can be done about it.
    boost::asio::co_spawn(home, close_link(std::move(link), why), [](const std::exception_ptr&) {});
}

boost::asio::awaitable<void> Countdown::wait_until(resilience::TimePoint when) {
    if (left_ > 0) {
        co_await all_done_.wait_until(when);
    }
}

void close_counted(const boost::asio::any_io_executor& home,
                   std::vector<std::shared_ptr<Link>> links, const CallFault& why,
                   const std::shared_ptr<Countdown>& countdown) {
    // All are counted before the first can end.
    for (std::size_t counted = 0; counted < links.size(); ++counted) {
        countdown->add();
    }
    for (auto& link : links) {
        boost::asio::co_spawn(home, close_link(std::move(link), why),
                              [countdown](const std::exception_ptr&) { countdown->on_done(); });
    }
}

}  // namespace holdfast::downstream
