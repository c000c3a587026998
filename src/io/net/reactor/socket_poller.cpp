#include "net/reactor/socket_poller.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/query.hpp>
#include <cerrno>
#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "net/reactor/polled_socket.hpp"
#include "platform/unique_fd.hpp"

namespace holdfast::net {
namespace {

namespace asio = boost::asio;

// Each change is reported once. The close of the peer has its own event, so that a short read shows
// that nothing is left.
constexpr std::uint32_t kReading = EPOLLIN | EPOLLRDHUP | EPOLLET;

epoll_event event_of(PolledSocket& socket, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &socket;
    return event;
}

}  // namespace

asio::execution_context::id SocketPoller::id;

SocketPoller& SocketPoller::of(const asio::any_io_executor& executor) {
    auto& poller = asio::use_service<SocketPoller>(asio::query(executor, asio::execution::context));
    poller.executor_ = executor;
    return poller;
}

int SocketPoller::open() {
    if (is_shut_) {
        return ESHUTDOWN;
    }
    platform::UniqueFd set{::epoll_create1(EPOLL_CLOEXEC)};
    if (!set.is_open()) {
        return errno;
    }
    boost::system::error_code error;
    set_.emplace(executor_);
    std::ignore = set_->assign(set.get(), error);
    if (error) {
        set_.reset();
        return error.value();
    }
    std::ignore = set.release();  // the descriptor owns it from here on
    return 0;
}

int SocketPoller::add(PolledSocket& socket, int fd) {
    if (!set_) {
        if (const int code = open(); code != 0) {
            return code;
        }
    }
    epoll_event event = event_of(socket, kReading);
    if (::epoll_ctl(set_->native_handle(), EPOLL_CTL_ADD, fd, &event) != 0) {
        return errno;
    }
    sockets_.insert(&socket);
    watch();
    return 0;
}

int SocketPoller::add_writing(PolledSocket& socket, int fd) {
    if (!set_) {
        return ESHUTDOWN;
    }
    epoll_event event = event_of(socket, kReading | EPOLLOUT);
    return ::epoll_ctl(set_->native_handle(), EPOLL_CTL_MOD, fd, &event) == 0 ? 0 : errno;
}

void SocketPoller::remove(PolledSocket& socket, int fd) noexcept {
    const auto forget = [&socket](PolledSocket*& known) {
        known = known == &socket ? nullptr : known;
    };
    std::ranges::for_each(pending_reads_, forget);
    std::ranges::for_each(being_read_, forget);
    if (sockets_.erase(&socket) == 0) {
        return;
    }
    // Explicitly: a process that was just started may hold the descriptor a little longer than we
    // do.
    epoll_event ignored{};
    std::ignore = ::epoll_ctl(set_->native_handle(), EPOLL_CTL_DEL, fd, &ignored);
    for (epoll_event& event : undispatched_) {
        if (event.data.ptr == &socket) {
            event.data.ptr = nullptr;
        }
    }
    if (sockets_.empty()) {
        boost::system::error_code ignored_too;    // There is nothing else to cancel.
        std::ignore = set_->cancel(ignored_too);  // Without other work, the loop may then end.
    }
}

// Asio watches the set once per turn, not once per socket.
void SocketPoller::watch() {
    if (is_watching_) {
        return;
    }
    is_watching_ = true;
    set_->async_wait(asio::posix::stream_descriptor::wait_read,
                     [this](const boost::system::error_code& error) {
                         is_watching_ = false;
                         if (!error) {
                             on_ready();
                         }
                         if (!sockets_.empty()) {
                             watch();
                         }
                     });
}

void SocketPoller::on_ready() {
    const int count = ::epoll_wait(set_->native_handle(), ready_.data(), kMaxReady, 0);
    undispatched_ = {ready_.data(), static_cast<std::size_t>(std::max(count, 0))};
    is_in_turn_ = true;
    while (!undispatched_.empty()) {
        const epoll_event event = undispatched_.front();
        undispatched_ = undispatched_.subspan(1);
        if (event.data.ptr != nullptr) {
            const resilience::LoopTimekeeper::Event scope{clock_};
            static_cast<PolledSocket*>(event.data.ptr)->on_events(event.events);
        }
        if (turn_bytes_ >= kMaxTurnBytes) {
            end_turn();
        }
    }
    is_in_turn_ = false;
    end_turn();
}

void SocketPoller::write_at_turn_end(std::shared_ptr<SocketEvents> events) {
    unwritten_.push_back(std::move(events));
    if (!is_in_turn_ && unwritten_.size() == 1) {
        asio::post(executor_, [this] { end_turn(); });
    }
}

void SocketPoller::end_turn() {
    const resilience::LoopTimekeeper::Event scope{clock_};
    turn_bytes_ = 0;
    std::swap(unwritten_, being_written_);  // later requests belong to the next turn
    for (const auto& events : being_written_) {
        events->on_writable();
    }
    being_written_.clear();
}

void SocketPoller::read_later(PolledSocket& socket) {
    pending_reads_.push_back(&socket);
    if (!is_reading_later_) {
        is_reading_later_ = true;
        asio::post(executor_, [this] { read_all_later(); });
    }
}

void SocketPoller::read_all_later() {
    is_reading_later_ = false;
    // reads that are postponed again belong to the next turn
    std::swap(pending_reads_, being_read_);
    for (PolledSocket*& next : being_read_) {
        if (PolledSocket* const socket = std::exchange(next, nullptr)) {
            const resilience::LoopTimekeeper::Event scope{clock_};
            socket->on_events(EPOLLIN);
        }
    }
    being_read_.clear();
}

void SocketPoller::shutdown() {
    is_shut_ = true;
    // Sockets and their owners may keep each other alive.
    std::vector<std::shared_ptr<SocketEvents>> owners;
    sockets_.insert(pending_reads_.begin(), pending_reads_.end());
    sockets_.erase(nullptr);
    for (PolledSocket* const socket : sockets_) {
        socket->give_up(owners);
    }
    std::ranges::move(unwritten_, std::back_inserter(owners));
    unwritten_.clear();
    pending_reads_.clear();
    sockets_.clear();
    set_.reset();  // now, while the Asio service that it belongs to still exists
    for (const auto& owner : owners) {
        if (owner) {
            owner->on_poller_gone();
        }
    }
}

}  // namespace holdfast::net
