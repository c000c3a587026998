#include "dispatch/skills.hpp"

#include <utility>

#include "calls/input_round.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::dispatch {
namespace {

constexpr char kMark = '\n';

/// Returns the settings of the extension, as JSON; nothing if the server does not declare it.
std::optional<std::string> skill_settings(const surface::Server& server) {
    const auto status = server.downstream->status();
    if (!status.negotiated) {
        return std::nullopt;
    }
    for (const auto& [group, extensions] : calls::members_of(status.negotiated->capabilities)) {
        if (group != "extensions") {
            continue;
        }
        for (auto& [name, settings] : calls::members_of(extensions)) {
            if (name == kSkillsExtension) {
                return std::move(settings);
            }
        }
    }
    return std::nullopt;
}

bool reads_directories(std::string_view settings) {
    for (const auto& [key, value] : calls::members_of(settings)) {
        if (key == "directoryRead" && value == "true") {
            return true;
        }
    }
    return false;
}

/// Returns the folder of a skill, whose URI may name its manifest.
std::string_view folder_of(std::string_view uri) {
    constexpr std::string_view kManifest = "/SKILL.md";
    if (uri.ends_with(kManifest)) {
        uri.remove_suffix(kManifest.size());
    }
    return uri;
}

class SkillPagePort final : public agents::ReplyPort {
public:
    SkillPagePort(std::shared_ptr<agents::ReplyPort> port, SkillPageReader reader)
        : port_(std::move(port)), reader_(std::move(reader)) {}

    void send(std::string message, agents::Importance importance) override {
        port_->send(std::move(message), importance);
    }
    void finish(std::string message, int http_status) override {
        port_->finish(continued(std::move(message)), http_status);
    }
    void abandon() override { port_->abandon(); }
    [[nodiscard]] bool can_ask() const override { return port_->can_ask(); }
    void on_gone(std::function<void()> listener) override { port_->on_gone(std::move(listener)); }

private:
    [[nodiscard]] std::string continued(std::string message) const {
        const jsonrpc::PaddedText text{std::move(message)};
        jsonrpc::MessageReader& reader = jsonrpc::part_reader();
        const auto result = reader.read_object(text, text.view()).find("result");
        if (!result || !result->starts_with('{')) {
            return std::string{text.view()};
        }
        const jsonrpc::ObjectView page = reader.read_object(text, *result);
        const auto cursor = page.find("nextCursor");
        const bool goes_on = cursor && cursor->starts_with('"');
        std::string next;
        if (goes_on) {
            next = jsonrpc::quoted_text(
                SkillPage{.server = reader_.server, .cursor = jsonrpc::decoded(*cursor)}.text());
        } else if (!reader_.next.empty()) {
            next = jsonrpc::quoted_text(SkillPage{.server = reader_.next}.text());
        }
        jsonrpc::ObjectEdit edit{page};
        if (!next.empty()) {
            edit.set("nextCursor", next);
        }
        const std::string edited = edit.text();
        const std::string skills{page.find("skills").value_or("[]")};
        reader_.routes->note(skills, reader_.server);
        return next.empty() ? std::string{text.view()}
                            : jsonrpc::with_member(text.view(), "result", edited);
    }

    const std::shared_ptr<agents::ReplyPort> port_;
    const SkillPageReader reader_;
};

}  // namespace

std::vector<const surface::Server*> servers_with_skills(const surface::Surface& surface) {
    std::vector<const surface::Server*> servers;
    for (const surface::Server& server : surface.servers()) {
        if (skill_settings(server)) {
            servers.push_back(&server);
        }
    }
    return servers;
}

std::string with_skills(std::string_view capabilities, const surface::Surface& surface) {
    bool has_skills = false;
    bool has_directories = false;
    for (const surface::Server& server : surface.servers()) {
        const auto settings = skill_settings(server);
        has_skills = has_skills || settings;
        has_directories = has_directories || (settings && reads_directories(*settings));
    }
    if (!has_skills) {
        return std::string{capabilities};
    }
    const std::string settings = has_directories ? R"({"directoryRead":true})" : "{}";
    return jsonrpc::with_member(
        capabilities, "extensions",
        "{" + jsonrpc::quoted_text(kSkillsExtension) + ":" + settings + "}");
}

void SkillRoutes::note(std::string_view skills, std::string_view server) {
    const jsonrpc::PaddedText text{std::string{skills}};
    jsonrpc::MessageReader& reader = jsonrpc::part_reader();
    for (const std::string_view skill : reader.read_list(text, text.view())) {
        const auto uri = reader.read_object(text, skill).find("uri");
        if (!uri || !uri->starts_with('"')) {
            continue;
        }
        owners_.with([&](Owners& owners) {
            if (owners.size() < kMaxSkills) {
                owners.try_emplace(std::string{folder_of(jsonrpc::decoded(*uri))}, server);
            }
        });
    }
}

std::optional<std::string> SkillRoutes::find(std::string_view uri) const {
    return owners_.with([uri](const Owners& owners) -> std::optional<std::string> {
        for (std::string_view folder = folder_of(uri); !folder.empty();) {
            if (const auto found = owners.find(folder); found != owners.end()) {
                return found->second;
            }
            const std::size_t slash = folder.rfind('/');
            folder = folder.substr(0, slash == std::string_view::npos ? 0 : slash);
        }
        return std::nullopt;
    });
}

std::string SkillPage::text() const {
    return cursor ? server + kMark + *cursor : server;
}

std::optional<SkillPage> skill_page(std::string_view cursor) {
    if (cursor.empty()) {
        return std::nullopt;
    }
    const std::size_t mark = cursor.find(kMark);
    SkillPage page{.server = std::string{cursor.substr(0, mark)}};
    if (mark != std::string_view::npos) {
        page.cursor = cursor.substr(mark + 1);
    }
    return page;
}

std::shared_ptr<agents::ReplyPort> skill_page_port(std::shared_ptr<agents::ReplyPort> port,
                                                   SkillPageReader reader) {
    return std::make_shared<SkillPagePort>(std::move(port), std::move(reader));
}

}  // namespace holdfast::dispatch
