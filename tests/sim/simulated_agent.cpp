#include "sim/simulated_agent.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <tuple>
#include <utility>

#include "front/channel_front.hpp"
#include "holdfast/resilience/expect.hpp"

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kQueuedMessages = 4'096;

void expect_no_exception(const std::exception_ptr& error) {
    HOLDFAST_EXPECT(error == nullptr);
}

}  // namespace

SimulatedAgent::SimulatedAgent(AgentTraits traits, Surroundings& world, Dice dice)
    : traits_(std::move(traits)), world_(world), dice_(std::move(dice)) {}

void SimulatedAgent::live(std::shared_ptr<const dispatch::RequestDispatcher> dispatcher) {
    dispatcher_ = std::move(dispatcher);
    world_.loop.after(dice_.between(0ms, 3s), [self = shared_from_this()] {
        self->connect();
        self->act_later();
    });
}

void SimulatedAgent::leave(bool is_owed) {
    if (connection_ && is_owed) {
        connection_->ledger.check_settled();
    }
    disconnect();
    dispatcher_.reset();
}

void SimulatedAgent::connect() {
    if (is_resting_) {
        return;
    }
    world_.trace.note(traits_.name, "connects", mcp::text_of(traits_.revision));
    const net::OwningLoop loop = world_.loop.owning();
    auto channels = test::make_memory_channels(loop, kQueuedMessages);
    connection_ = std::make_shared<Connection>(traits_, world_, std::move(channels.far));
    is_ready_ = traits_.is_modern();
    boost::asio::co_spawn(loop.executor,
                          front::serve_channel(loop, std::move(channels.near), dispatcher_,
                                               {.principal = traits_.name}),
                          expect_no_exception);
    boost::asio::co_spawn(loop.executor, receive(shared_from_this(), connection_),
                          expect_no_exception);
    if (!traits_.is_modern()) {
        shake_hands();
    }
}

void SimulatedAgent::disconnect() {
    if (!connection_) {
        return;
    }
    world_.trace.note(traits_.name, "leaves", "");
    sent_count_ += connection_->ledger.sent_count();
    connection_->is_left = true;
    connection_->channel->end();
    connection_.reset();
}

boost::asio::awaitable<void> SimulatedAgent::receive(std::shared_ptr<SimulatedAgent> self,
                                                     std::shared_ptr<Connection> connection) {
    while (true) {
        const auto text = co_await connection->channel->read();
        if (connection->is_left) {
            co_return;
        }
        if (!text) {
            break;
        }
        self->on_text(std::string{*text});
    }
    if (!self->world_.is_gateway_stopping) {
        self->world_.complaints.add(self->traits_.name + " was cut off");
    }
    self->connection_.reset();
}

void SimulatedAgent::act_later() {
    world_.loop.after(dice_.between(1ms, 1'200ms), [self = shared_from_this()] {
        if (self->is_resting_) {
            return;
        }
        self->act();
        self->act_later();
    });
}

void SimulatedAgent::act() {
    if (!connection_) {
        if (dice_.chance(0.4)) {
            connect();
        }
        return;
    }
    if (!is_ready_ && !dice_.chance(0.05)) {
        return;  // Sometimes does not wait for the handshake.
    }
    const std::size_t choice = dice_.between(std::size_t{0}, std::size_t{99});
    if (choice < 55) {
        call_something();
    } else if (choice < 68) {
        list_something();
    } else if (choice < 76) {
        cancel_something();
    } else if (choice < 83) {
        watch_something();
    } else if (choice < 87) {
        send_batch();
    } else if (choice < 97) {
        misbehave();
    } else {
        disconnect();
    }
}

void SimulatedAgent::misbehave() {
    switch (dice_.between(std::size_t{0}, std::size_t{6})) {
        case 0:
            connection_->ledger.on_unreadable_sent();
            say_text("this is not JSON");
            return;
        case 1:
            connection_->ledger.on_unreadable_sent();
            world_.trace.note(traits_.name, "> too much", "");
            connection_->channel->write_too_long();
            return;
        case 2:
            std::ignore = request("tools/call", {{"name", "no such tool"}});
            return;
        case 3:
            std::ignore = request("no/such/method", {});
            return;
        case 4:
            say(json::object{
                {"jsonrpc", "2.0"}, {"id", "nobody asked"}, {"result", json::object{}}});
            return;
        case 5:
            notify("notifications/cancelled", {{"requestId", "no such request"}});
            return;
        default:
            notify("notifications/roots/list_changed", {});
            return;
    }
}

void SimulatedAgent::notify(std::string_view method, json::object params) {
    say(message_of(method, std::move(params)));
}

void SimulatedAgent::say(const json::value& message) {
    say_text(json::serialize(message));
}

void SimulatedAgent::say_text(const std::string& text) {
    world_.trace.note(traits_.name, ">", text);
    if (!connection_->channel->try_write(text)) {
        world_.complaints.add(traits_.name + " is not read by the gateway");
    }
}

void SimulatedAgent::later(Duration delay, std::function<void()> work) {
    world_.loop.after(delay, [self = shared_from_this(), connection = std::weak_ptr{connection_},
                              work = std::move(work)] {
        const auto alive = connection.lock();
        if (alive && alive == self->connection_) {
            work();
        }
    });
}

}  // namespace holdfast::sim
