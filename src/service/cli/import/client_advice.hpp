#pragma once

#include <string>

#include "cli/import/client_places.hpp"

namespace holdfast::cli {

/// What to configure in a client so that it uses Holdfast instead of its servers.
struct ClientAdvice {
    std::string where = {};  ///< A file or "a shell", to go behind "in".
    std::string stdio = {};  ///< What goes there for a gateway that the client starts itself.
    std::string http = {};   ///< The same for one that runs; empty = this client cannot.
};

/// Where Holdfast is found.
struct OwnAddress {
    std::string program = {};      ///< A path: clients need not have the search path of a shell.
    std::string config_file = {};  ///< A path from the root on.
    std::string url = {};
};

[[nodiscard]] ClientAdvice advice_for(Client client, const OwnAddress& address);

}  // namespace holdfast::cli
