#pragma once

#include <string>

#include "downstream/call_listener.hpp"
#include "downstream/downstream_status.hpp"
#include "downstream/listing.hpp"

namespace holdfast::downstream {

/// Observes a downstream, on its home loop.
class DownstreamWatcher {
public:
    DownstreamWatcher() = default;
    DownstreamWatcher(const DownstreamWatcher&) = delete;
    DownstreamWatcher& operator=(const DownstreamWatcher&) = delete;
    virtual ~DownstreamWatcher() = default;

    virtual void on_state(const std::string& server, const DownstreamStatus& status) = 0;
    /// Called after every connect and after every list change that the downstream announces.
    virtual void on_listed(const std::string& server, Listing listing) = 0;
    /// A list became unreadable or, with an empty reason, readable again. Called for each change,
    /// not for each attempt.
    virtual void on_list_problem(const std::string& server, const ListProblem& problem) = 0;
    /// The invalid entries of a list changed; there are some. Called before `on_listed`.
    virtual void on_list_faults(const std::string& /*server*/, const ListFaults& /*list*/) {}
    /// The server sent a message that is not JSON-RPC; it was skipped.
    virtual void on_junk(const std::string& /*server*/, const JunkNotice& /*notice*/) {}
    /// A notification that belongs to no call. `agent_key` is empty for a shared link. A list
    /// change is reported after the new list was read, or after reading it failed.
    virtual void on_notification(const std::string& server, const std::string& agent_key,
                                 Notification notification) = 0;
    virtual void on_question(const std::string& server, const std::string& agent_key,
                             Question question) = 0;
};

}  // namespace holdfast::downstream
