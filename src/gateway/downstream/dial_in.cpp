#include "downstream/dial_in.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <functional>
#include <utility>

#include "holdfast/resilience/expect.hpp"
#include "net/expect_no_exception.hpp"

namespace holdfast::downstream {

namespace asio = boost::asio;
using net::NetErrc;
using net::NetError;
using net::NetResult;

namespace {

NetError replaced() {
    return {.code = NetErrc::closed, .message = "replaced by another connection"};
}

}  // namespace

/// One connection. Shared by its channel and by its dismissal.
struct DialIn::Visit {
    std::unique_ptr<net::MessageChannel> channel;
    bool is_dismissed = false;  // closed by the gateway in favour of a newer one
    bool is_closing = false;    // closed by its owner
};

/// The connection as its link sees it; ends when it is dismissed.
class DialIn::VisitChannel final : public net::MessageChannel {
public:
    explicit VisitChannel(std::shared_ptr<Visit> visit) : visit_(std::move(visit)) {}

    NetResult<void> try_write(std::string_view json) override {
        return visit_->is_dismissed ? replaced() : visit_->channel->try_write(json);
    }
    NetResult<void> try_write_urgent(std::string_view json) override {
        return visit_->is_dismissed ? replaced() : visit_->channel->try_write_urgent(json);
    }
    asio::awaitable<NetResult<std::string_view>> read() override { return read_from(visit_); }
    void be_patient_while(const std::function<bool()>& is_awaited) override {
        visit_->channel->be_patient_while(is_awaited);
    }
    asio::awaitable<void> close() override { return close(visit_); }

private:
    static asio::awaitable<NetResult<std::string_view>> read_from(std::shared_ptr<Visit> visit) {
        auto message = co_await visit->channel->read();
        co_return visit->is_dismissed ? replaced() : message;
    }
    // Prevents a second close, because a dismissal closes the channel too.
    static asio::awaitable<void> close(std::shared_ptr<Visit> visit) {
        if (!visit->is_dismissed && !std::exchange(visit->is_closing, true)) {
            co_await visit->channel->close();
        }
    }

    const std::shared_ptr<Visit> visit_;
};

void DialIn::on_dialled_in(std::unique_ptr<net::MessageChannel> channel) {
    for (const auto& earlier : {taken_.lock(), std::exchange(waiting_, nullptr)}) {
        if (earlier && !earlier->is_closing && !std::exchange(earlier->is_dismissed, true)) {
            // Observes the channel's own limits; the coroutine owns the channel.
            asio::co_spawn(home_.executor, dismiss(earlier), net::expect_no_exception);
        }
    }
    waiting_ = std::make_shared<Visit>(Visit{.channel = std::move(channel)});
    if (listener_) {
        listener_();
    }
}

asio::awaitable<void> DialIn::dismiss(std::shared_ptr<Visit> visit) {
    co_await visit->channel->close_saying("Another page has connected and replaces this one.");
}

asio::awaitable<NetResult<std::unique_ptr<net::MessageChannel>>> DialIn::take(
    std::shared_ptr<DialIn> self) {
    if (!self->waiting_) {
        co_return NetError{.code = NetErrc::closed,
                           .message = "nothing has connected at " + self->path_};
    }
    auto visit = std::exchange(self->waiting_, nullptr);
    self->taken_ = visit;
    co_return std::make_unique<VisitChannel>(std::move(visit));
}

ChannelSource DialIn::source() {
    return [self = shared_from_this()](const net::OwningLoop& /*home*/,
                                       resilience::Deadline /*deadline*/) { return take(self); };
}

}  // namespace holdfast::downstream
