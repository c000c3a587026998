#include "net/reactor/readiness_watch.hpp"

#include <sys/epoll.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <tuple>

#include "platform/unique_fd.hpp"

namespace holdfast::net {

namespace asio = boost::asio;

int ReadinessWatch::open(int fd, std::uint32_t events) {
    platform::UniqueFd set{::epoll_create1(EPOLL_CLOEXEC)};
    if (!set.is_open()) {
        return errno;
    }
    epoll_event event{};
    event.events = events;
    if (::epoll_ctl(set.get(), EPOLL_CTL_ADD, fd, &event) == -1) {
        is_file_ = errno == EPERM;
        return is_file_ ? 0 : errno;
    }
    boost::system::error_code error;
    std::ignore = set_.assign(set.get(), error);
    if (!error) {
        std::ignore = set.release();  // the descriptor owns it from here on
    }
    return error.value();
}

void ReadinessWatch::close() {
    boost::system::error_code ignored;
    std::ignore = set_.close(ignored);  // the descriptor is closed in any case
    is_file_ = false;
}

asio::awaitable<void> ReadinessWatch::wait() {
    if (is_file_) {
        co_await asio::post(asio::use_awaitable);
    } else {
        std::ignore = co_await set_.async_wait(asio::posix::stream_descriptor::wait_read,
                                               asio::as_tuple(asio::use_awaitable));
    }
}

}  // namespace holdfast::net
