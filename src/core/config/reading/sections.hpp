#pragma once

#include "config/config.hpp"
#include "config/object_reader.hpp"

namespace holdfast::config {

// Each reads one section of the top level, whose variables are filled in, into the config.
// `section` must be an object.

void read_agents(ObjectReader& section, Config& config);
void read_names(ObjectReader& section, Config& config);
void read_server_defaults(ObjectReader& section, Config& config);
void read_limits(ObjectReader& section, Config& config);
void read_catalogue(ObjectReader& section, Config& config);
void read_ask(ObjectReader& section, Config& config);

}  // namespace holdfast::config
