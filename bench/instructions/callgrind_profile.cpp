#include "instructions/callgrind_profile.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <unordered_map>

#include "proxy/child.hpp"

namespace holdfast::bench {
namespace {

/// A name is written in full once, `(7) name`, and as its number after that.
class NameTable {
public:
    [[nodiscard]] std::string name(std::string_view text) {
        const std::size_t end = text.find(')');
        if (!text.starts_with('(') || end == std::string_view::npos) {
            return std::string{text};
        }
        const std::string number{text.substr(1, end - 1)};
        if (end + 2 < text.size()) {
            names_[number] = text.substr(end + 2);
        }
        return names_[number];
    }

private:
    std::unordered_map<std::string, std::string> names_;
};

std::uint64_t number_in(std::string_view text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Returns the count of a line `position count`.
std::uint64_t cost_in(std::string_view line) {
    const std::size_t blank = line.find(' ');
    return blank == std::string_view::npos ? 0 : number_in(line.substr(blank + 1));
}

bool is_cost_line(std::string_view line) {
    return !line.empty() &&
           std::string_view{"0123456789+-*"}.find(line.front()) != std::string_view::npos;
}

}  // namespace

std::uint64_t CallgrindProfile::calls_of(std::initializer_list<std::string_view> names) const {
    std::uint64_t calls = 0;
    for (const auto& [name, function] : functions) {
        const bool is_meant = std::ranges::any_of(
            names, [&name](std::string_view begin) { return name.starts_with(begin); });
        calls += is_meant ? function.calls : 0;
    }
    return calls;
}

std::vector<std::pair<std::string, CallgrindProfile::Function>> CallgrindProfile::largest(
    std::size_t count) const {
    std::vector<std::pair<std::string, Function>> all{functions.begin(), functions.end()};
    std::ranges::sort(all, [](const auto& one, const auto& other) {
        return one.second.own_instructions > other.second.own_instructions;
    });
    all.resize(std::min(all.size(), count));
    return all;
}

CallgrindProfile read_callgrind_profile(const std::filesystem::path& file) {
    std::ifstream stream{file};
    CallgrindProfile profile;
    NameTable names;
    std::string caller;
    std::string callee;
    bool is_inclusive = false;  // The line after `calls=` has the inclusive cost of the callee.
    for (std::string line; std::getline(stream, line);) {
        const std::string_view text{line};
        if (text.starts_with("fn=")) {
            caller = names.name(text.substr(3));
        } else if (text.starts_with("cfn=")) {
            callee = names.name(text.substr(4));
        } else if (text.starts_with("calls=")) {
            profile.functions[callee].calls += number_in(text.substr(6));
            is_inclusive = true;
        } else if (is_cost_line(text)) {
            if (!is_inclusive) {
                profile.functions[caller].own_instructions += cost_in(text);
                profile.instructions += cost_in(text);
            }
            is_inclusive = false;
        }
    }
    if (profile.functions.empty()) {
        fail("callgrind counted nothing: " + file.string());
    }
    return profile;
}

}  // namespace holdfast::bench
