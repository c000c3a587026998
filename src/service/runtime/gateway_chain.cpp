#include "runtime/gateway_chain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "platform/crypto.hpp"
#include "platform/environment.hpp"

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestDigits = 16;

std::string digest_of(const std::string& config_file) {
    std::error_code error;
    const fs::path path = fs::weakly_canonical(config_file, error);
    return platform::sha256_text(error ? config_file : path.string()).substr(0, kDigestDigits);
}

std::vector<std::string_view> links_of(std::string_view chain) {
    std::vector<std::string_view> links;
    while (!chain.empty()) {
        links.push_back(chain.substr(0, chain.find(',')));
        chain.remove_prefix(std::min(links.back().size() + 1, chain.size()));
    }
    return links;
}

}  // namespace

const std::string& own_gateway_id() {
    static const std::string id = platform::make_secret();
    return id;
}

std::optional<std::string> fault_in_chain(std::string_view chain, const std::string& config_file) {
    const auto links = links_of(chain);
    if (std::ranges::find(links, digest_of(config_file)) != links.end()) {
        return fmt::format(
            "the gateway would be its own server: {} has a server that runs holdfast with the same "
            "config, which would start it again and again. Remove that server",
            config_file);
    }
    if (links.size() >= kMaxChainedGateways) {
        return fmt::format(
            "this is the {}th gateway in a chain of gateways, each a server of the one before; at "
            "most {} are allowed. Connect agents or servers more directly",
            links.size() + 1, kMaxChainedGateways);
    }
    return std::nullopt;
}

std::string chain_with(std::string_view chain, const std::string& config_file) {
    std::string longer{chain};
    longer.append(longer.empty() ? "" : ",").append(digest_of(config_file));
    return longer;
}

std::optional<std::string> join_chain(const std::string& config_file) {
    const std::string chain = platform::environment_variable(kChainVariable).value_or("");
    if (auto fault = fault_in_chain(chain, config_file)) {
        return fault;
    }
    // NOLINTNEXTLINE(concurrency-mt-unsafe): there are no other threads yet.
    ::setenv(kChainVariable, chain_with(chain, config_file).c_str(), 1);
    return std::nullopt;
}

}  // namespace holdfast::runtime
