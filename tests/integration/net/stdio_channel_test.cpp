#include "net/stdio_channel.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <exception>

#include "platform/unique_fd.hpp"
#include "resilience/tests/support/manual_timekeeper.hpp"

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using Message = NetResult<std::string>;

struct Pair {
    platform::UniqueFd reader;
    platform::UniqueFd writer;
};

Pair make_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    return {platform::UniqueFd{ends[0]}, platform::UniqueFd{ends[1]}};
}

void write_all(const platform::UniqueFd& to, std::string_view bytes) {
    EXPECT_EQ(::write(to.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
}

/// Reads what has arrived, without waiting.
std::string read_now(const platform::UniqueFd& from) {
    ::fcntl(from.get(), F_SETFL, O_NONBLOCK);
    std::string text(1'000'000, '\0');
    const ssize_t count = ::read(from.get(), text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

bool is_blocking(const platform::UniqueFd& fd) {
    return (::fcntl(fd.get(), F_GETFL) & O_NONBLOCK) == 0;
}

boost::asio::awaitable<void> read_one(MessageChannel* channel, std::optional<Message>* result) {
    const auto text = co_await channel->read();
    if (text) {
        result->emplace(std::string{*text});
    } else {
        result->emplace(text.error());
    }
}

boost::asio::awaitable<void> close_it(MessageChannel* channel, bool* is_closed) {
    co_await channel->close();
    *is_closed = true;
}

boost::asio::awaitable<void> wait_for_room(MessageChannel* channel, bool* has_room) {
    co_await channel->wait_for_room({});
    *has_room = true;
}

void ignore_exception(const std::exception_ptr& exception) {
    EXPECT_FALSE(exception);
}

class StdioChannelTest : public ::testing::Test {
protected:
    StdioChannelTest() { ::signal(SIGPIPE, SIG_IGN); }

    void open(int input_fd, int output_fd, StdioChannelOptions options = {}) {
        options.input_fd = input_fd;
        options.output_fd = output_fd;
        auto channel = make_stdio_channel({context_.get_executor(), &timekeeper_}, options);
        ASSERT_TRUE(channel) << channel.error().message;
        channel_ = std::move(*channel);
    }
    void open_pipes(const StdioChannelOptions& options = {}) {
        input_ = make_pipe();
        output_ = make_pipe();
        open(input_.reader.get(), output_.writer.get(), options);
    }
    template <class Condition>
    void run_until(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + 30s;
        while (!condition()) {
            context_.restart();
            context_.poll();
            if (std::chrono::steady_clock::now() > end) {
                FAIL() << "the awaited condition did not become true";
            }
        }
    }
    void turn_ten_times() {
        for (int turn = 0; turn < 10; ++turn) {
            context_.restart();
            context_.poll();
        }
    }
    void start_reading(std::optional<Message>* result) {
        boost::asio::co_spawn(context_, read_one(channel_.get(), result), ignore_exception);
    }
    Message read() {
        std::optional<Message> result;
        start_reading(&result);
        run_until([&] { return result.has_value(); });
        return std::move(*result);
    }
    void start_closing(bool* is_closed) {
        boost::asio::co_spawn(context_, close_it(channel_.get(), is_closed), ignore_exception);
    }
    std::string written(std::size_t size_bytes) {
        std::string text;
        run_until([&] {
            text += read_now(output_.reader);
            return text.size() >= size_bytes;
        });
        return text;
    }

    boost::asio::io_context context_{1};
    resilience::testing::ManualTimekeeper timekeeper_;
    Pair input_;
    Pair output_;
    std::unique_ptr<MessageChannel> channel_;
};

TEST_F(StdioChannelTest, CarriesLinesInBothDirections) {
    open_pipes();
    write_all(input_.writer, "{\"a\":1}\n\n{\"b\"");
    EXPECT_EQ(*read(), "{\"a\":1}");
    std::optional<Message> second;
    start_reading(&second);
    context_.poll();
    EXPECT_FALSE(second);
    write_all(input_.writer, ":2}\n");
    run_until([&] { return second.has_value(); });

    EXPECT_EQ(**second, "{\"b\":2}");
    EXPECT_TRUE(channel_->try_write("{\n}"));
    EXPECT_TRUE(channel_->try_write_urgent("[]"));
    EXPECT_EQ(written(7), "[]\n{ }\n");
    input_.writer.reset();
    EXPECT_EQ(read().error().code, NetErrc::closed);
    EXPECT_TRUE(channel_->try_write("{}")) << "the end of the input is not that of the output";
}

TEST_F(StdioChannelTest, LeavesTheDescriptorsBlocking) {
    open_pipes();
    std::optional<Message> message;
    start_reading(&message);
    EXPECT_TRUE(channel_->try_write(std::string(200'000, 'x')));
    turn_ten_times();

    EXPECT_TRUE(is_blocking(input_.reader));
    EXPECT_TRUE(is_blocking(output_.writer));
    channel_.reset();
    run_until([&] { return message.has_value(); });
    EXPECT_EQ(message->error().code, NetErrc::closed);
}

TEST_F(StdioChannelTest, WritesALongMessageToASlowReader) {
    open_pipes();
    const std::string text(3'000'000, 'x');
    EXPECT_TRUE(channel_->try_write(text));
    EXPECT_TRUE(channel_->try_write("{}"));

    EXPECT_EQ(written(text.size() + 4), text + "\n{}\n");
}

TEST_F(StdioChannelTest, ReadsAFileToItsEnd) {
    const platform::UniqueFd file{::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    ASSERT_TRUE(file.is_open());
    const std::string longer(300'000, 'y');
    write_all(file, "first\n" + longer + "\nlast");
    ::lseek(file.get(), 0, SEEK_SET);
    const platform::UniqueFd nowhere{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
    open(file.get(), nowhere.get());

    EXPECT_EQ(*read(), "first");
    EXPECT_EQ(*read(), longer);
    EXPECT_EQ(*read(), "last");
    EXPECT_EQ(read().error().code, NetErrc::closed);
}

TEST_F(StdioChannelTest, WritesToAFile) {
    const platform::UniqueFd file{::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    const platform::UniqueFd nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    open(nothing.get(), file.get());
    const std::string text(300'000, 'z');
    EXPECT_TRUE(channel_->try_write(text));
    bool is_closed = false;

    start_closing(&is_closed);
    run_until([&] { return is_closed; });

    EXPECT_EQ(::lseek(file.get(), 0, SEEK_END), 300'001);
}

TEST_F(StdioChannelTest, AcceptsAnEmptyInput) {
    const platform::UniqueFd nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    output_ = make_pipe();
    open(nothing.get(), output_.writer.get());

    EXPECT_EQ(read().error().code, NetErrc::closed);
    EXPECT_EQ(read().error().code, NetErrc::closed);
    EXPECT_TRUE(channel_->try_write("{}"));
    EXPECT_EQ(written(3), "{}\n");
}

TEST_F(StdioChannelTest, WorksOverASocket) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const platform::UniqueFd ours{ends[0]};
    output_.reader.reset(ends[1]);
    open(ours.get(), ours.get());
    write_all(output_.reader, "hello\n");

    EXPECT_EQ(*read(), "hello");
    EXPECT_TRUE(channel_->try_write("{}"));
    EXPECT_EQ(written(3), "{}\n");
}

TEST_F(StdioChannelTest, ContinuesAfterALineThatIsTooLong) {
    open_pipes({.max_message_bytes = 5});
    write_all(input_.writer, "123456\n12345\n");

    EXPECT_EQ(read().error().code, NetErrc::message_too_long);
    EXPECT_EQ(*read(), "12345");
}

TEST_F(StdioChannelTest, RejectsMessagesWithoutSpaceOrReader) {
    open_pipes({.write_queue = {.max_messages = 1}});
    EXPECT_TRUE(channel_->try_write("1"));
    EXPECT_EQ(channel_->try_write("2").error().code, NetErrc::overloaded);
    EXPECT_EQ(channel_->try_write("\"a\nb\"").error().code, NetErrc::invalid_request);
    EXPECT_EQ(written(2), "1\n");

    output_.reader.reset();
    EXPECT_TRUE(channel_->try_write("3"));

    run_until([&] {
        const auto refused = channel_->try_write("4");
        return !refused && refused.error().code == NetErrc::closed;
    });
}

TEST_F(StdioChannelTest, ClosesWhenEverythingIsWritten) {
    open_pipes();
    std::optional<Message> message;
    start_reading(&message);
    EXPECT_TRUE(channel_->try_write(std::string(200'000, 'x')));
    EXPECT_TRUE(channel_->try_write("last"));
    bool is_closed = false;
    start_closing(&is_closed);
    run_until([&] { return message.has_value(); });
    EXPECT_EQ(message->error().code, NetErrc::closed);
    EXPECT_FALSE(is_closed);

    EXPECT_TRUE(written(200'006).ends_with("x\nlast\n"));

    run_until([&] { return is_closed; });
    EXPECT_EQ(channel_->try_write("more").error().code, NetErrc::closed);
}

TEST_F(StdioChannelTest, GivesUpOnAReaderThatDoesNotRead) {
    open_pipes({.close_wait = 2s});
    EXPECT_TRUE(channel_->try_write(std::string(200'000, 'x')));
    bool is_closed = false;
    start_closing(&is_closed);
    for (int turn = 0; turn < 10; ++turn) {
        context_.restart();
        context_.poll();
    }
    EXPECT_FALSE(is_closed);

    timekeeper_.advance_to(timekeeper_.now() + 2s);

    run_until([&] { return is_closed; });
}

TEST_F(StdioChannelTest, WaitsForRoom) {
    open_pipes();
    EXPECT_TRUE(channel_->try_write(std::string(200'000, 'x')));
    EXPECT_TRUE(channel_->try_write("last"));
    run_until([&] { return channel_->unwritten().messages == 2; });
    bool has_room = false;
    boost::asio::co_spawn(context_, wait_for_room(channel_.get(), &has_room), ignore_exception);
    turn_ten_times();
    EXPECT_FALSE(has_room);

    EXPECT_TRUE(written(200'006).ends_with("x\nlast\n"));

    run_until([&] { return has_room; });
    EXPECT_EQ(channel_->unwritten().size_bytes, 0U);
}

TEST_F(StdioChannelTest, GivesUpAReaderBetweenTwoMessages) {
    open_pipes();
    std::optional<Message> message;
    start_reading(&message);
    EXPECT_TRUE(channel_->try_write(std::string(200'000, 'x')));
    EXPECT_TRUE(channel_->try_write("never written"));
    turn_ten_times();

    channel_->give_up("you do not read");

    run_until([&] { return message.has_value(); });
    EXPECT_EQ(message->error().code, NetErrc::closed);
    bool is_closed = false;
    start_closing(&is_closed);
    EXPECT_TRUE(written(200'001).ends_with("x\n"));
    run_until([&] { return is_closed; });
    EXPECT_EQ(read_now(output_.reader), "");
}

TEST_F(StdioChannelTest, ReportsADescriptorThatIsNotOpen) {
    platform::UniqueFd closed{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    const int number = closed.get();
    closed.reset();

    const auto channel =
        make_stdio_channel({context_.get_executor(), &timekeeper_}, {.input_fd = number});

    ASSERT_FALSE(channel);
    EXPECT_EQ(channel.error().system_code, EBADF);
}

}  // namespace
}  // namespace holdfast::net
