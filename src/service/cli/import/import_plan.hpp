#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/import/client_places.hpp"
#include "cli/import/client_servers.hpp"
#include "config/interpolation.hpp"
#include "config/node.hpp"

namespace holdfast::cli {

enum class ImportFate : std::uint8_t {
    taken,
    known,    ///< The same server is there already.
    skipped,  ///< Our config reader would refuse it.
};

/// What becomes of one server.
struct ImportedServer {
    std::string name = {};  ///< In the client's config.
    std::string as = {};    ///< In ours; empty if it is skipped.
    ImportFate fate = ImportFate::taken;
    std::vector<std::string> notes = {};  ///< A sentence each, without any secret.
};

struct ImportedFile {
    ClientFile file = {};
    std::string fault = {};  ///< Why it could not be read; empty = it was.
    std::vector<ImportedServer> servers = {};
};

/// What an import would do: each file with its servers, and the entries that our config gets.
struct ImportPlan {
    std::vector<ImportedFile> files = {};
    std::vector<config::Member> added = {};
};

/// Puts the servers of clients' configs together, one file after the other. Two that are the same
/// become one; of two that only have the same name the later gets a number behind it. An entry that
/// our own reader would refuse is skipped.
///
/// Thread-safety: none.
class ImportPlanner final {
public:
    /// `servers` is the object that they are added to; null = the config has no servers yet.
    ImportPlanner(const config::Node* servers, std::string home, config::Environment environment);

    void add(const ClientFile& file, ClientServers found);
    [[nodiscard]] ImportPlan take() { return std::move(plan_); }

private:
    [[nodiscard]] ImportedServer placed(const ClientFile& file, const ClientServer& server);
    [[nodiscard]] std::string free_name(const std::string& name) const;
    [[nodiscard]] std::string refusal_of(const std::string& name, const config::Node& entry) const;

    const std::string home_;
    const config::Environment environment_;
    std::vector<config::Member> known_;  // of our config, with those that are added
    ImportPlan plan_;
};

}  // namespace holdfast::cli
