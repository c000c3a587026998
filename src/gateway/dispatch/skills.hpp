#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/reply_port.hpp"
#include "holdfast/resilience/synchronized.hpp"
#include "surface/surface.hpp"

// The skills of the servers, which the gateway relays: lists of all servers one after another, and
// everything else by the server that listed the skill.

namespace holdfast::dispatch {

inline constexpr std::string_view kSkillsExtension = "io.modelcontextprotocol/skills";

/// Returns the connected servers that declare skills, in the order of the config.
[[nodiscard]] std::vector<const surface::Server*> servers_with_skills(
    const surface::Surface& surface);

/// Returns `capabilities`, an object, with the extension if a server declares it.
[[nodiscard]] std::string with_skills(std::string_view capabilities,
                                      const surface::Surface& surface);

/// The servers of the skills that were listed.
///
/// Thread-safety: from any thread.
class SkillRoutes final {
public:
    /// Notes the skills of a list (JSON). A skill stays with the server that listed it first.
    void note(std::string_view skills, std::string_view server);
    /// Returns the key of the server of a skill or of a file within it.
    [[nodiscard]] std::optional<std::string> find(std::string_view uri) const;

private:
    static constexpr std::size_t kMaxSkills = 10'000;

    using Owners = std::map<std::string, std::string, std::less<>>;
    resilience::Synchronized<Owners> owners_;  // by the folder of the skill
};

/// The place in the joined list where a page begins.
struct SkillPage {
    std::string server = {};
    std::optional<std::string> cursor = std::nullopt;  ///< Of that server.

    [[nodiscard]] std::string text() const;
};
/// Returns nothing if the gateway did not make the cursor.
[[nodiscard]] std::optional<SkillPage> skill_page(std::string_view cursor);

/// Passes a page of skills on: with a cursor of the gateway, which continues with `next` after the
/// last page of the server.
struct SkillPageReader {
    std::string server = {};
    std::string next = {};  ///< The key of the next server; empty = none.
    std::shared_ptr<SkillRoutes> routes = {};
};
[[nodiscard]] std::shared_ptr<agents::ReplyPort> skill_page_port(
    std::shared_ptr<agents::ReplyPort> port, SkillPageReader reader);

}  // namespace holdfast::dispatch
