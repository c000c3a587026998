#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <mutex>
#include <thread>

#include "support/troubled_server/serving.hpp"

namespace holdfast::troubled {
namespace {

constexpr std::chrono::milliseconds kPause{1};

class StreamWay final : public ReplyPath {
public:
    void send(std::string_view message) override { write(std::string{message} + '\n'); }
    void send_junk() override { write("this is not JSON\n"); }
    void send_half(std::string_view message) override {
        write(message.substr(0, message.size() / 2));
    }
    void trickle(std::string_view message) override {
        const std::lock_guard held{lock_};
        const std::string line = std::string{message} + '\n';
        for (const char one : line) {
            if (::write(STDOUT_FILENO, &one, 1) != 1) {
                return;
            }
            std::this_thread::sleep_for(kPause);
        }
    }
    void send_status(int, std::string_view, std::string_view) override { send_junk(); }
    // Replaces the file: a closed number would be reused for the next file that a thread opens, and
    // the answers of the others would be written to it.
    void close() override {
        const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
        ::dup2(nowhere, STDOUT_FILENO);
        ::close(nowhere);
    }

private:
    void write(std::string_view bytes) {
        const std::lock_guard held{lock_};
        while (!bytes.empty()) {
            const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
            if (count <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
    }

    std::mutex lock_;  // one message at a time
};

}  // namespace

void serve_streams(Script& script) {
    static StreamWay way;  // outlives the detached threads
    std::string line;
    while (std::getline(std::cin, line)) {
        std::thread{[&script, line] { serve_message(script, line, way); }}.detach();
    }
    std::_Exit(0);
}

}  // namespace holdfast::troubled
