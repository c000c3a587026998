#pragma once

#include <sys/types.h>

#include "base/local_access.hpp"
#include "config/config.hpp"
#include "platform/local_accounts.hpp"
#include "runtime/config_messages.hpp"

namespace holdfast::runtime {

/// Finds the users that `agents.local` names. A name that this machine does not have is a warning.
[[nodiscard]] base::LocalAccess local_access_of(const config::AgentsConfig& agents, uid_t own,
                                                const platform::LocalAccounts& accounts,
                                                ConfigMessages& messages);

}  // namespace holdfast::runtime
