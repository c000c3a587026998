#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/simulated_downstream.hpp"
#include "sim/wire.hpp"
#include "support/memory_channel.hpp"

namespace holdfast::sim {

/// A request that a process handles.
struct ServedCall {
    json::value id = {};
    std::string method = {};
    json::object params = {};
    std::string mark = {};
    std::size_t rounds = 0;  ///< Of questions so far.
    bool is_cancelled = false;
    bool is_answered = false;
    bool may_be_given_up = false;  ///< The gateway may have ended it without a word.

    /// The mark to show in messages that name no call.
    [[nodiscard]] std::string shown_mark() const {
        return is_cancelled || may_be_given_up ? std::string{} : mark;
    }
};

/// One process of a downstream, at the far end of one connection. It mostly behaves like a server
/// of its revision, and fails as its traits say.
///
/// Thread-safety: none.
class DownstreamProcess final : public std::enable_shared_from_this<DownstreamProcess> {
public:
    DownstreamProcess(std::shared_ptr<SimulatedDownstream> owner,
                      std::unique_ptr<test::MemoryChannel> channel);

    /// Runs until the connection ends.
    static boost::asio::awaitable<void> run(std::shared_ptr<DownstreamProcess> self);
    /// Decides whether and when it dies or hangs.
    void await_fate();
    /// Announces changes of its lists and of a resource.
    void announce();

private:
    using Call = std::shared_ptr<ServedCall>;

    void on_text(const std::string& text);
    void on_request(const json::object& message);
    void on_cancelled(const json::object& params);
    void on_answer(const json::object& message);
    void shake_hands(const json::object& message);
    void probe(const json::value& id);
    void answer_list(const json::value& id, std::string_view member, const json::object& params);
    void listen(const json::object& message);

    // In downstream_calls.cpp.
    void begin(Call call);
    void talk_about(const Call& call);
    void react(const Call& call);
    void go_wrong(const Call& call);
    void say_junk(const Call& call);
    void demand_visit(const Call& call);
    void answer(const Call& call);
    [[nodiscard]] json::object result_of(const ServedCall& call) const;
    void ask(const Call& call);
    void ask_in_result(const Call& call);
    void ask_by_request(const Call& call);
    void on_asked(const Call& call, const std::string& mark, const json::object& reply);
    void ask_nobody();
    [[nodiscard]] bool is_to_go_on(const ServedCall& call) const;

    void reply(const json::value& id, json::object result);
    void refuse(const json::value& id, int code, std::string_view words);
    void notify(std::string_view method, json::object params);
    void say(const json::object& message) { say_text(json::serialize(message)); }
    void say_text(const std::string& text);
    void die();
    void later(Duration delay, std::function<void()> work);

    [[nodiscard]] const DownstreamTraits& traits() const { return owner_->traits(); }
    [[nodiscard]] Dice& dice() { return owner_->dice(); }

    const std::shared_ptr<SimulatedDownstream> owner_;
    const std::unique_ptr<test::MemoryChannel> channel_;
    bool is_hung_ = false;
    bool is_ready_ = false;  // after the handshake
    std::size_t last_question_ = 0;
    std::map<std::string, Call> calls_;                                      // by id
    std::map<std::string, std::function<void(const json::object&)>> asked_;  // by question id
    std::map<std::string, json::object> listens_;                            // by id; the filter
};

}  // namespace holdfast::sim
