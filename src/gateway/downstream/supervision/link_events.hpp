#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "downstream/link.hpp"

namespace holdfast::downstream {

class LinkEvents;

/// Receives the events of all links of one downstream.
class LinkOwner {
public:
    LinkOwner() = default;
    LinkOwner(const LinkOwner&) = delete;
    LinkOwner& operator=(const LinkOwner&) = delete;
    virtual ~LinkOwner() = default;

    virtual void on_link_notification(const LinkEvents& from, Notification notification) = 0;
    virtual void on_link_question(const LinkEvents& from, Question question) = 0;
    virtual void on_link_junk(const JunkNotice& notice) = 0;
    virtual void on_link_lost(const LinkEvents& from, CallFault why) = 0;
};

/// Forwards the events of one link together with the agent it belongs to. The owner of the link
/// must also own this object.
///
/// Thread-safety: none; belongs to the home loop.
class LinkEvents final : public LinkListener {
public:
    /// `agent_key` is empty for the shared link.
    LinkEvents(std::weak_ptr<LinkOwner> owner, std::string agent_key)
        : owner_(std::move(owner)), agent_key_(std::move(agent_key)) {}

    void on_notification(Notification notification) override {
        if (const auto owner = owner_.lock()) {
            owner->on_link_notification(*this, std::move(notification));
        }
    }
    void on_question(Question question) override {
        if (const auto owner = owner_.lock()) {
            owner->on_link_question(*this, std::move(question));
        }
    }
    void on_junk(const JunkNotice& notice) override {
        if (const auto owner = owner_.lock()) {
            owner->on_link_junk(notice);
        }
    }
    void on_lost(CallFault why) override {
        // Stored because the link may be lost before its opener has received it.
        lost_ = why;
        if (const auto owner = owner_.lock()) {
            owner->on_link_lost(*this, std::move(why));
        }
    }

    [[nodiscard]] const std::string& agent_key() const noexcept { return agent_key_; }
    [[nodiscard]] const std::optional<CallFault>& lost() const noexcept { return lost_; }

private:
    const std::weak_ptr<LinkOwner> owner_;
    const std::string agent_key_;
    std::optional<CallFault> lost_;
};

}  // namespace holdfast::downstream
