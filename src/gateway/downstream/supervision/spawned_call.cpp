#include "downstream/supervision/spawned_call.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "net/expect_no_exception.hpp"

namespace holdfast::downstream {
namespace {

namespace asio = boost::asio;

/// Shared by the caller, who may cancel it, and by the coroutine.
class SpawnedCall final : public StartedCall {
public:
    void cancel() override { cancellation_.emit(asio::cancellation_type::terminal); }

    [[nodiscard]] asio::cancellation_slot slot() { return cancellation_.slot(); }
    [[nodiscard]] CallResult take_result() { return *std::exchange(result_, std::nullopt); }

    static asio::awaitable<void> run(std::shared_ptr<SpawnedCall> self,
                                     asio::awaitable<CallResult> call) {
        // A cancelled request ends with a fault of its own, never with an exception.
        co_await asio::this_coro::throw_if_cancelled(false);
        self->result_.emplace(co_await std::move(call));
    }

private:
    asio::cancellation_signal cancellation_;
    std::optional<CallResult> result_;
};

}  // namespace

std::shared_ptr<StartedCall> spawn_call(const net::OwningLoop& caller,
                                        asio::awaitable<CallResult> call,
                                        std::shared_ptr<CallObserver> observer) {
    auto spawned = std::make_shared<SpawnedCall>();
    // The handler holds the call, because Asio uses the slot until the handler has run. Asio posts
    // the handler if the coroutine ends without waiting, so the observer is never called from here.
    asio::co_spawn(caller.executor, SpawnedCall::run(spawned, std::move(call)),
                   asio::bind_cancellation_slot(
                       spawned->slot(),
                       [spawned, observer = std::move(observer)](const std::exception_ptr& error) {
                           net::expect_no_exception(error);
                           observer->on_result(spawned->take_result());
                       }));
    return spawned;
}

}  // namespace holdfast::downstream
