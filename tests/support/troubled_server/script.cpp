#include "support/troubled_server/script.hpp"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace holdfast::troubled {
namespace {

std::string text_of(const std::string& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

Action read_action(std::string_view text) {
    const std::size_t space = text.find(' ');
    return {.verb = std::string{text.substr(0, space)},
            .words = std::string{space == std::string_view::npos ? "" : text.substr(space + 1)}};
}

std::string Script::tools() const {
    return text_of(folder_ + "/tools");
}

bool Script::refuses_to_start() const {
    return std::filesystem::exists(folder_ + "/refuses");
}

void Script::note_start() {
    const std::lock_guard held{lock_};
    note("starts", "");
}

void Script::note_cancellation() {
    const std::lock_guard held{lock_};
    note("cancelled", "");
}

Action Script::on_call(std::string_view tool, std::string_view arguments) {
    const std::lock_guard held{lock_};
    // Before the call is recorded: a test that sees the record may write the next script.
    Action action = next_action(tool);
    note("arrivals", std::string{tool} + ' ' + std::string{arguments});
    return action;
}

void Script::note(std::string_view file, std::string_view what) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    const std::string line =
        std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) + ' ' +
        std::to_string(::getpid()) + ' ' + std::string{what} + '\n';
    std::ofstream{folder_ + '/' + std::string{file}, std::ios::app} << line << std::flush;
}

Action Script::next_action(std::string_view tool) const {
    std::string path = folder_ + "/script." + std::string{tool};
    if (!std::filesystem::exists(path)) {
        path = folder_ + "/script";
    }
    const std::string text = text_of(path);
    const std::size_t end = text.find('\n');
    if (end != std::string::npos && end + 1 < text.size()) {
        // Atomically: another call may end this process at the same time.
        std::ofstream{path + ".rest"} << text.substr(end + 1);
        std::filesystem::rename(path + ".rest", path);
    }
    return text.empty() ? Action{.verb = "ok"} : read_action(text.substr(0, end));
}

}  // namespace holdfast::troubled
