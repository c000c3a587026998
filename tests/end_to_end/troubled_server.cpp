#include "end_to_end/troubled_server.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

namespace holdfast::test {
namespace {

std::string server_path() {
    const char* gateway = std::getenv("HOLDFAST_BINARY");
    EXPECT_NE(gateway, nullptr) << "HOLDFAST_BINARY must be set; CTest does so.";
    return std::filesystem::path{gateway == nullptr ? "" : gateway}.parent_path() /
           "tests/support/troubled_server/holdfast_troubled_server";
}

std::string tool(const std::string& name, const std::string& more) {
    return R"({"name":")" + name + R"(","description":"Does )" + name +
           R"(.","inputSchema":{"type":"object","properties":{"q":{"type":"string"},)"
           R"("token":{"type":"string"}}})" +
           more + "}";
}

// Atomically, so that the server never reads half of it.
void replace_file(const std::string& path, const std::string& text) {
    write_file(path + ".new", text);
    std::filesystem::rename(path + ".new", path);
}

std::string lines_of(const std::vector<std::string>& actions) {
    std::string text;
    for (const std::string& action : actions) {
        text += action + '\n';
    }
    return text;
}

}  // namespace

std::string unmarked_tool(const std::string& name) {
    return tool(name, "");
}

std::string read_only_tool(const std::string& name) {
    return tool(name, R"(,"annotations":{"readOnlyHint":true})");
}

TroubledServer::TroubledServer(const std::vector<std::string>& tools) {
    std::string list;
    for (const std::string& one : tools) {
        list += (list.empty() ? "" : ",") + one;
    }
    write_file(folder_ / "tools", "[" + list + "]");
}

std::string TroubledServer::stdio_entry(const std::string& members) const {
    return R"({"command":")" + server_path() + R"(","args":[")" + folder_.path() +
           R"(","--stdio"])" + (members.empty() ? "" : "," + members) + "}";
}

std::string TroubledServer::http_entry(const std::string& members) {
    program_ = std::make_unique<Program>(
        std::vector<std::string>{server_path(), folder_.path(), "--http"});
    const std::string url = program_->rest_of_error_line("troubled: listening on ");
    EXPECT_NE(url, "");
    return R"({"type":"http","url":")" + url + "\"" + (members.empty() ? "" : "," + members) + "}";
}

void TroubledServer::does(const std::vector<std::string>& actions) {
    replace_file(folder_ / "script", lines_of(actions));
}

void TroubledServer::does_for(const std::string& tool, const std::vector<std::string>& actions) {
    replace_file(folder_ / ("script." + tool), lines_of(actions));
}

void TroubledServer::refuses_to_start(bool refuses) {
    if (refuses) {
        write_file(folder_ / "refuses", "");
    } else {
        std::filesystem::remove(folder_ / "refuses");
    }
}

std::vector<Sighting> TroubledServer::arrivals(std::string_view tool) const {
    std::vector<Sighting> result = sightings("arrivals");
    if (!tool.empty()) {
        std::erase_if(result, [tool](const Sighting& one) { return one.tool != tool; });
    }
    return result;
}

std::vector<Sighting> TroubledServer::starts() const {
    return sightings("starts");
}

std::vector<Sighting> TroubledServer::cancellations() const {
    return sightings("cancelled");
}

std::vector<Sighting> TroubledServer::sightings(const std::string& file) const {
    std::vector<Sighting> result;
    std::istringstream text{content_of_file(folder_ / file)};
    std::string line;
    while (std::getline(text, line)) {
        std::istringstream words{line};
        Sighting one;
        std::int64_t nanoseconds = 0;
        words >> nanoseconds >> one.pid >> one.tool;
        one.at = std::chrono::nanoseconds{nanoseconds};
        std::getline(words >> std::ws, one.arguments);
        result.push_back(std::move(one));
    }
    return result;
}

}  // namespace holdfast::test
