#pragma once

#include <string>

#include "downstream/call_listener.hpp"
#include "downstream/downstream_status.hpp"
#include "downstream/listing.hpp"

namespace holdfast::downstream {

/// Hears what becomes of a downstream, on its home loop.
class DownstreamWatcher {
public:
    DownstreamWatcher() = default;
    DownstreamWatcher(const DownstreamWatcher&) = delete;
    DownstreamWatcher& operator=(const DownstreamWatcher&) = delete;
    virtual ~DownstreamWatcher() = default;

    virtual void on_state(const std::string& server, const DownstreamStatus& status) = 0;
    /// After every connect, and after every change that it tells of.
    virtual void on_listed(const std::string& server, Listing listing) = 0;
    /// A list could not be had, or, with an empty reason, can be had again. Told when that begins
    /// and when it ends, not for each try.
    virtual void on_list_problem(const std::string& server, const ListProblem& problem) = 0;
    /// The server sent something that is not JSON-RPC, and it was skipped.
    virtual void on_junk(const std::string& /*server*/, const JunkNotice& /*notice*/) {}
    /// Something that concerns no call. `agent_key` is empty when it came on a shared link. That a
    /// list has changed is told after the new list, or without one if it could not be had.
    virtual void on_notification(const std::string& server, const std::string& agent_key,
                                 Notification notification) = 0;
    virtual void on_question(const std::string& server, const std::string& agent_key,
                             Question question) = 0;
};

}  // namespace holdfast::downstream
