#include "cli/import/client_variables.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace holdfast::cli {
namespace {

constexpr std::string_view kOpen = "${";

/// A name for a variable of the environment: `github-token` becomes `GITHUB_TOKEN`.
std::string variable_name(std::string_view input) {
    std::string name;
    for (const char one : input) {
        const bool is_small = one >= 'a' && one <= 'z';
        const bool is_word = is_small || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
        name += is_small ? static_cast<char>(one - 'a' + 'A') : is_word ? one : '_';
    }
    return name.empty() || (name.front() >= '0' && name.front() <= '9') ? "INPUT_" + name : name;
}

void note_once(ImportedEntry& entry, std::string note) {
    if (std::ranges::find(entry.notes, note) == entry.notes.end()) {
        entry.notes.push_back(std::move(note));
    }
}

/// What an editor would put in place of `${reference}`; nothing if only it knows.
std::optional<std::string> editors_value(std::string_view reference, const EntrySource& source,
                                         ImportedEntry& entry) {
    constexpr std::string_view kInput = "input:";
    if (reference.starts_with("env:")) {
        return std::string{kOpen} + std::string{reference} + "}";
    }
    if (reference.starts_with(kInput)) {
        const std::string name = variable_name(reference.substr(kInput.size()));
        note_once(entry, "the editor prompts for a value; set the variable " + name + " instead");
        return std::string{kOpen} + name + "}";
    }
    if (reference == "userHome") {
        return source.home;
    }
    if (reference == "pathSeparator" || reference == "/") {
        return "/";
    }
    const bool is_folder = reference == "workspaceFolder";
    if ((is_folder || reference == "workspaceFolderBasename") && !source.project.empty()) {
        return is_folder ? source.project
                         : std::filesystem::path{source.project}.filename().string();
    }
    return std::nullopt;
}

}  // namespace

std::string with_our_variables(std::string_view text, const EntrySource& source,
                               ImportedEntry& entry) {
    if (source.client == Client::claude_code) {
        return std::string{text};  // it has the variables that we have
    }
    std::string result;
    for (std::size_t open = text.find(kOpen); open != std::string_view::npos;
         open = text.find(kOpen)) {
        result.append(text.substr(0, open));
        text.remove_prefix(open + kOpen.size());
        if (source.client == Client::claude_desktop) {
            result.append("$${");  // it has none: these are plain characters
            continue;
        }
        const std::size_t close = std::min(text.find('}'), text.size());
        const std::string_view reference = text.substr(0, close);
        if (auto value = editors_value(reference, source, entry)) {
            result += *value;
        } else {
            entry.refusal =
                "the value is known only to the editor: ${" + config::printable(reference) + "}";
        }
        text.remove_prefix(std::min(close + 1, text.size()));
    }
    return result.append(text);
}

}  // namespace holdfast::cli
