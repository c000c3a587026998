#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "holdfast/resilience/asio/one_shot.hpp"
#include "net/loop.hpp"
#include "net/message_channel.hpp"

namespace holdfast::test {

/// One direction of a pair of memory channels.
struct MemoryPipe {
    explicit MemoryPipe(const net::OwningLoop& loop)
        : news(*loop.timekeeper), room_made(*loop.timekeeper) {}

    std::deque<std::optional<std::string>> urgent;   ///< Nothing = a message above the limit.
    std::deque<std::optional<std::string>> waiting;  ///< Like `urgent`.
    /// The memory of the view that `read` returned.
    std::string last_read;
    std::string last_words;  ///< Why the writer gave its peer up.
    bool is_read_over = false;
    bool has_ended = false;
    resilience::OneShot news;
    resilience::OneShot room_made;
};

/// One end of a pair: what is written here is read at the other end, in order and immediately. Both
/// ends live on one loop. A test can also read without waiting.
///
/// Thread-safety: none; belongs to its loop.
class MemoryChannel final : public net::MessageChannel {
public:
    MemoryChannel(std::shared_ptr<MemoryPipe> in, std::shared_ptr<MemoryPipe> out,
                  std::size_t max_messages)
        : in_(std::move(in)), out_(std::move(out)), max_messages_(max_messages) {}
    ~MemoryChannel() override { end(); }

    [[nodiscard]] net::NetResult<void> try_write(std::string_view json) override {
        return push(out_->waiting, std::string{json});
    }
    [[nodiscard]] net::NetResult<void> try_write_urgent(std::string_view json) override {
        return push(out_->urgent, std::string{json});
    }
    [[nodiscard]] boost::asio::awaitable<net::NetResult<std::string_view>> read() override {
        return read_from(in_);
    }
    [[nodiscard]] net::Unwritten unwritten() const override {
        net::Unwritten all{.messages = out_->urgent.size() + out_->waiting.size()};
        for (const auto* lane : {&out_->urgent, &out_->waiting}) {
            for (const Message& message : *lane) {
                all.size_bytes += message ? message->size() : 0;
            }
        }
        return all;
    }
    [[nodiscard]] boost::asio::awaitable<void> wait_for_room(net::Unwritten limit) override {
        const auto out = out_;
        while (!out->has_ended && !in_->is_read_over && !unwritten().is_within(limit) &&
               co_await out->room_made.wait_until(resilience::TimePoint::max()) ==
                   resilience::WakeReason::signalled) {
        }
    }
    void stop_reading() override {
        in_->is_read_over = true;
        in_->news.signal();
        out_->room_made.signal();
    }
    void give_up(std::string_view words) override {
        out_->urgent.clear();
        out_->waiting.clear();
        out_->last_words = words;
        end();
    }
    /// As with a socket, a reader sees the end before this returns.
    [[nodiscard]] boost::asio::awaitable<void> close() override {
        end();
        co_await boost::asio::post(boost::asio::use_awaitable);
    }

    /// Makes the other end read `message_too_long`.
    void write_too_long() { std::ignore = push(out_->waiting, std::nullopt); }
    /// Returns the next message if there is one.
    [[nodiscard]] std::optional<std::string> try_read() {
        auto message = take(*in_);
        return message ? *message : std::nullopt;
    }
    /// Returns whether the peer has ended and nothing is left to read.
    [[nodiscard]] bool has_ended() const {
        return in_->has_ended && in_->urgent.empty() && in_->waiting.empty();
    }
    void end() {
        for (MemoryPipe* pipe : {in_.get(), out_.get()}) {
            pipe->has_ended = true;
            pipe->news.signal();
            pipe->room_made.signal();
        }
    }
    [[nodiscard]] const std::string& last_words() const { return in_->last_words; }

private:
    using Message = std::optional<std::string>;

    [[nodiscard]] net::NetResult<void> push(std::deque<Message>& lane, Message message) {
        if (out_->has_ended) {
            return net::NetError{.code = net::NetErrc::closed, .message = "the channel has ended"};
        }
        if (lane.size() >= max_messages_) {
            return net::NetError{.code = net::NetErrc::overloaded, .message = "the queue is full"};
        }
        lane.push_back(std::move(message));
        out_->news.signal();
        return {};
    }
    static std::optional<Message> take(MemoryPipe& pipe) {
        auto& lane = pipe.urgent.empty() ? pipe.waiting : pipe.urgent;
        if (lane.empty()) {
            return std::nullopt;
        }
        Message message = std::move(lane.front());
        lane.pop_front();
        pipe.room_made.signal();
        return message;
    }
    static boost::asio::awaitable<net::NetResult<std::string_view>> read_from(
        std::shared_ptr<MemoryPipe> pipe) {
        while (true) {
            if (auto message = take(*pipe)) {
                if (!*message) {
                    co_return net::NetError{.code = net::NetErrc::message_too_long,
                                            .message = "the message is over the limit"};
                }
                pipe->last_read = std::move(**message);
                co_return std::string_view{pipe->last_read};
            }
            if (pipe->has_ended || pipe->is_read_over) {
                co_return net::NetError{.code = net::NetErrc::closed,
                                        .message = "the peer has ended"};
            }
            const auto reason = co_await pipe->news.wait_until(resilience::TimePoint::max());
            if (reason == resilience::WakeReason::cancelled) {
                co_return net::NetError{.code = net::NetErrc::cancelled,
                                        .message = "the read was cancelled"};
            }
        }
    }

    const std::shared_ptr<MemoryPipe> in_;
    const std::shared_ptr<MemoryPipe> out_;
    const std::size_t max_messages_;
};

struct MemoryChannelPair {
    std::unique_ptr<MemoryChannel> near = {};
    std::unique_ptr<MemoryChannel> far = {};
};

/// `max_messages` limits the queue of each direction, and also that of urgent messages.
[[nodiscard]] inline MemoryChannelPair make_memory_channels(const net::OwningLoop& loop,
                                                            std::size_t max_messages = 256) {
    const auto forth = std::make_shared<MemoryPipe>(loop);
    const auto back = std::make_shared<MemoryPipe>(loop);
    return {.near = std::make_unique<MemoryChannel>(back, forth, max_messages),
            .far = std::make_unique<MemoryChannel>(forth, back, max_messages)};
}

}  // namespace holdfast::test
