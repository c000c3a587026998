#include "gateway/gateway.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text_cut.hpp"
#include "gateway/connection_event.hpp"
#include "gateway/input_round.hpp"
#include "gateway/log_level.hpp"
#include "gateway/on_loop.hpp"
#include "gateway/repeat_guard.hpp"
#include "gateway/shared_reads.hpp"
#include "gateway/stale_answers.hpp"
#include "holdfast/resilience/asio/one_shot.hpp"
#include "holdfast/resilience/expect.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_writer.hpp"

namespace holdfast::gateway {
namespace {

namespace asio = boost::asio;
using downstream::Listing;
using downstream::Notification;
using downstream::Question;

constexpr std::size_t kKeptSurfaces = 4;
constexpr std::chrono::seconds kStopLimit{30};
constexpr std::chrono::milliseconds kDrainLook{10};
constexpr std::size_t kMaxInstructionBytes = std::size_t{16} * 1024;

struct ListNotice {
    std::string_view method;
    ListKind kind;
};

constexpr std::array<ListNotice, 3> kListNotices{{
    {"notifications/tools/list_changed", ListKind::tools},
    {"notifications/prompts/list_changed", ListKind::prompts},
    {"notifications/resources/list_changed", ListKind::resources},
}};

std::string uri_in(const std::string& params) {
    for (const auto& [key, value] : members_of(params)) {
        if (key == "uri" && value.starts_with('"')) {
            return jsonrpc::decoded(value);
        }
    }
    return {};
}

// The lists that a server says it has.
std::set<ListKind> lists_in(std::string_view capabilities) {
    std::set<ListKind> kinds;
    for (const auto& [key, value] : members_of(capabilities)) {
        if (key == "tools") {
            kinds.insert(ListKind::tools);
        } else if (key == "prompts") {
            kinds.insert(ListKind::prompts);
        } else if (key == "resources") {
            kinds.insert({ListKind::resources, ListKind::templates});
        }
    }
    return kinds;
}

std::shared_ptr<const std::vector<Server>> guarded(std::vector<Server> servers) {
    for (Server& server : servers) {
        if (!server.guard) {
            server.guard = guard::built_in_guard(server.name);
        }
    }
    return std::make_shared<const std::vector<Server>>(std::move(servers));
}

}  // namespace

Gateway::Gateway(net::OwningLoop home, GatewayOptions options,
                 std::function<std::string()> make_secret, std::shared_ptr<LastKnown> last_known)
    : home_(std::move(home)),
      options_(std::move(options)),
      last_known_(std::move(last_known)),
      surface_options_(std::make_shared<const SurfaceOptions>(options_.surface)),
      router_(std::make_shared<Router>(surface_options_, options_.finder, options_.recorder)),
      sessions_(options_.sessions, make_secret),
      agent_headers_(std::make_shared<const std::vector<std::string>>(options_.agent_headers)) {
    CallEnvironment calls{.parked = std::make_shared<ParkedCalls>(options_.max_parked_calls),
                          .call_ids = std::make_shared<CallIds>(make_secret()),
                          .repeats = std::make_shared<RepeatGuard>(),
                          .stale = std::make_shared<StaleAnswers>(),
                          .shared_reads = std::make_shared<SharedReads>(),
                          .make_secret = std::move(make_secret),
                          .ask_timeout = options_.ask_timeout,
                          .secrets = std::make_shared<HiddenTexts>(options_.secrets),
                          .on_unchecked = options_.on_unchecked,
                          .recorder = options_.recorder};
    // A call never outlives the gateway: it is ended by `stop`, which waits for the downstreams.
    calls.on_stray = [this](const Server& server, const std::string& agent_key,
                            Notification notification) {
        on_notification(server.name, agent_key, std::move(notification));
    };
    calls_ = std::make_shared<const CallEnvironment>(std::move(calls));
}

Gateway::~Gateway() {
    for (HouseTimer* timer : {&settle_timer_, &sweep_timer_}) {
        if (timer->is_scheduled()) {
            home_.timekeeper->cancel(*timer);
        }
    }
}

void Gateway::offer(std::vector<OwnTool> tools, std::vector<OwnResource> resources) {
    HOLDFAST_EXPECT(!keeper_);
    std::ranges::move(tools, std::back_inserter(own_tools_));
    std::ranges::move(resources, std::back_inserter(own_resources_));
}

void Gateway::adopt(std::vector<Server> adopted) {
    const auto servers = guarded(std::move(adopted));
    servers_.with([&servers](auto& current) { current = servers; });
    keeper_ = std::make_shared<CatalogueKeeper>(
        home_, servers, options_.catalogue,
        [weak = weak_from_this()](Publication publication) {
            if (const auto gateway = weak.lock()) {
                gateway->publish(std::move(publication));
            }
        },
        SurfaceTerms{.own = std::make_shared<const OwnItems>(std::move(own_tools_),
                                                             std::move(own_resources_)),
                     .options = surface_options_});
    std::set<std::string> unknown;
    std::vector<std::pair<std::string, Listing>> known;
    for (const Server& server : *servers) {
        std::vector<Listing> listings;
        if (last_known_) {
            listings = last_known_->listings(server.name);
        }
        if (listings.empty()) {
            unknown.insert(server.name);
        }
        for (Listing& listing : listings) {
            known.emplace_back(server.name, std::move(listing));
        }
    }
    settling_.expect(std::move(unknown));
    keeper_->begin_with(std::move(known));
    home_.timekeeper->schedule(sweep_timer_, home_.timekeeper->now() + options_.sweep_every);
    if (options_.starts_at_once) {
        start_downstreams();
    }
}

void Gateway::start_downstreams() {
    if (is_started_.exchange(true)) {
        return;
    }
    const auto servers = this->servers();
    for (const Server& server : *servers) {
        on_loop(server.home, [downstream = server.downstream] { downstream->start(); });
    }
    on_loop(home_, [self = shared_from_this()] {
        self->home_.timekeeper->schedule(self->settle_timer_,
                                         self->home_.timekeeper->now() + self->options_.settle_for);
    });
}

void Gateway::sweep() {
    const resilience::TimePoint now = home_.timekeeper->now();
    for (const auto& session : sessions_.remove_idle(now)) {
        end_session(session);
    }
    sweep_circuits(now);
    home_.timekeeper->schedule(sweep_timer_, now + options_.sweep_every);
}

void Gateway::sweep_circuits(resilience::TimePoint now) {
    std::size_t count = 0;
    const auto servers = this->servers();
    for (const Server& server : *servers) {
        count += server.guard->sweep_if_due(now);
    }
    if (count > 0 && options_.on_circuits_swept) {
        options_.on_circuits_swept(count);
    }
}

asio::awaitable<void> Gateway::stop() {
    for (const auto& listen : listens()) {
        listen->finish();
        remove(*listen);
    }
    co_await drain();
    calls_->parked->cancel_all();
    co_await stop_downstreams();
    for (const auto& session : sessions_.all()) {
        end_session(session);
    }
}

asio::awaitable<void> Gateway::drain() {
    const auto limit = resilience::saturating_add(home_.timekeeper->now(), options_.drain_for);
    while (calls_->in_flight->load(std::memory_order_relaxed) > calls_->parked->size() &&
           home_.timekeeper->now() < limit) {
        resilience::OneShot pause{*home_.timekeeper};
        std::ignore = co_await pause.wait_until(home_.timekeeper->now() + kDrainLook);
    }
}

asio::awaitable<void> Gateway::stop_downstreams() {
    struct Countdown {
        explicit Countdown(resilience::Timekeeper& timekeeper) : all_stopped(timekeeper) {}
        resilience::OneShot all_stopped;
        std::size_t missing = 0;
    };
    const auto countdown = std::make_shared<Countdown>(*home_.timekeeper);
    std::vector<Server> all = *servers();
    all.insert(all.end(), leaving_.begin(), leaving_.end());
    countdown->missing = all.size();
    for (const Server& server : all) {
        asio::co_spawn(server.home.executor, server.downstream->stop(),
                       [countdown, home = home_](const std::exception_ptr& /*error*/) {
                           on_loop(home, [countdown] {
                               if (--countdown->missing == 0) {
                                   countdown->all_stopped.signal();
                               }
                           });
                       });
    }
    if (countdown->missing > 0) {
        // Each of them has limits of its own; this one is for a bug in them.
        std::ignore =
            co_await countdown->all_stopped.wait_until(home_.timekeeper->now() + kStopLimit);
    }
}

std::shared_ptr<const std::vector<Server>> Gateway::servers() const {
    return servers_.with([](const auto& servers) { return servers; });
}

std::shared_ptr<const std::vector<std::string>> Gateway::agent_headers() const {
    return agent_headers_.with([](const auto& names) { return names; });
}

std::shared_ptr<const Surface> Gateway::surface() const {
    return shown_.with([](const Shown& shown) { return shown.surface; });
}

std::shared_ptr<const Surface> Gateway::surface_of(std::uint64_t generation) const {
    return shown_.with([generation](const Shown& shown) -> std::shared_ptr<const Surface> {
        if (shown.surface->generation() == generation) {
            return shown.surface;
        }
        const auto found = std::ranges::find_if(shown.earlier, [generation](const auto& surface) {
            return surface->generation() == generation;
        });
        return found == shown.earlier.end() ? nullptr : *found;
    });
}

void Gateway::publish(Publication publication) {
    if (publication.surface) {
        // The oldest snapshot is destroyed outside the lock.
        std::shared_ptr<const Surface> dropped;
        shown_.with([&](Shown& shown) {
            if (shown.surface) {
                shown.earlier.push_back(std::move(shown.surface));
            }
            if (shown.earlier.size() > kKeptSurfaces) {
                dropped = std::move(shown.earlier.front());
                shown.earlier.pop_front();
            }
            shown.surface = publication.surface;
        });
        router_->show(publication.surface);
    }
    for (const auto& [server, kind] : publication.shown) {
        settling_.on_listed(server, kind);
    }
    tell_changed(publication.changed);
}

void Gateway::tell_changed(const ChangedLists& changed) {
    for (const ListNotice& notice : kListNotices) {
        const bool is_resources = notice.kind == ListKind::resources;
        const bool templates = changed[static_cast<std::size_t>(ListKind::templates)];
        if (!changed[static_cast<std::size_t>(notice.kind)] && !(is_resources && templates)) {
            continue;
        }
        const std::string message = jsonrpc::notification_text(notice.method, {});
        for (const auto& session : sessions_.all()) {
            if (session->agent() != nullptr) {
                session->tell(message);
            }
        }
        for (const auto& listen : listens()) {
            listen->on_list_changed(notice.kind);
        }
    }
}

std::string Gateway::instructions() const {
    return instructions_.with(
        [servers = servers(), about = words_about_search()](const auto& by_server) {
            std::string all = about;
            for (const Server& server : *servers) {
                const auto found = by_server.find(server.name);
                if (found == by_server.end() || found->second.empty()) {
                    continue;
                }
                all.append(all.empty() ? "" : "\n\n");
                if (servers->size() > 1) {
                    all.append(server.name).append(": ");
                }
                all.append(found->second);
            }
            return std::string{base::beginning_of(all, kMaxInstructionBytes)};
        });
}

bool Gateway::try_add(const std::shared_ptr<Listen>& listen) {
    const bool has_room = listens_.with([&](auto& listens) {
        if (listens.size() >= options_.max_listens) {
            return false;
        }
        listens.push_back(listen);
        return true;
    });
    if (has_room && !listen->filter().uris.empty()) {
        subscribe_for_listens(listen->agent_key());
    }
    return has_room;
}

// Several listens of one agent are one subscriber behind us.
void Gateway::subscribe_for_listens(const std::string& agent_key) const {
    std::vector<std::string> uris;
    for (const auto& listen : listens()) {
        if (listen->agent_key() == agent_key) {
            uris.insert(uris.end(), listen->filter().uris.begin(), listen->filter().uris.end());
        }
    }
    on_subscriptions(agent_key, uris);
}

void Gateway::remove(const Listen& listen) {
    std::shared_ptr<Listen> removed;
    listens_.with([&](auto& listens) {
        const auto found = std::ranges::find(listens, &listen, &std::shared_ptr<Listen>::get);
        if (found != listens.end()) {
            removed = std::move(*found);
            listens.erase(found);
        }
    });
    if (removed && !removed->filter().uris.empty()) {
        subscribe_for_listens(removed->agent_key());
    }
}

std::vector<std::shared_ptr<Listen>> Gateway::listens() const {
    return listens_.with([](const auto& listens) { return listens; });
}

void Gateway::on_subscriptions(const std::string& agent_key,
                               const std::vector<std::string>& uris) const {
    const auto surface = this->surface();
    const auto servers = this->servers();
    for (const Server& server : *servers) {
        std::vector<std::string> theirs;
        for (const std::string& uri : uris) {
            const Server* owner = surface->find_resource(uri);
            if (owner != nullptr && owner->name == server.name) {
                theirs.push_back(uri);
            }
        }
        on_loop(server.home, [downstream = server.downstream, agent_key, theirs]() mutable {
            downstream->set_subscriptions(agent_key, std::move(theirs));
        });
    }
}

void Gateway::on_log_level(const std::string& agent_key, std::string_view level) const {
    const auto servers = this->servers();
    for (const Server& server : *servers) {
        on_loop(server.home, [downstream = server.downstream, agent_key, level] {
            downstream->set_log_level(agent_key, level);
        });
    }
}

void Gateway::on_roots_changed(const std::string& agent_key) const {
    const auto servers = this->servers();
    for (const Server& server : *servers) {
        on_loop(server.home, [downstream = server.downstream, agent_key] {
            downstream->notify("notifications/roots/list_changed", {}, agent_key);
        });
    }
}

void Gateway::end_session(const std::shared_ptr<AgentSession>& session) {
    std::ignore = sessions_.remove(session->key());  // It may have been removed before.
    session->end();
    const auto servers = this->servers();
    for (const Server& server : *servers) {
        on_loop(server.home, [downstream = server.downstream, key = session->key()] {
            downstream->end_agent(key);
        });
    }
}

void Gateway::on_state(const std::string& server, const downstream::DownstreamStatus& status) {
    if (status.state == downstream::LinkState::waiting ||
        status.state == downstream::LinkState::paused) {
        settling_.on_heard(server);
    } else if (status.state == downstream::LinkState::ready && status.negotiated) {
        settling_.expect_lists(server, lists_in(status.negotiated->capabilities));
    }
    if (status.negotiated) {
        instructions_.with(
            [&](auto& by_server) { by_server[server] = status.negotiated->instructions; });
    }
    if (last_known_ && status.negotiated && status.state == downstream::LinkState::ready) {
        last_known_->keep_era(server, status.negotiated->era());
    }
    if (options_.recorder) {
        options_.recorder->on_event(connection_event(server, status, home_.timekeeper->now()));
    }
}

void Gateway::on_listed(const std::string& server, Listing listing) {
    if (last_known_) {
        last_known_->keep(server, listing);
    }
    if (listing.entries.empty()) {
        // Nothing to show, so no surface will come of it.
        settling_.on_listed(server, listing.kind);
    }
    keeper_->on_listed(server, std::move(listing));
}

void Gateway::on_notification(const std::string& /*server*/, const std::string& agent_key,
                              Notification notification) {
    const auto notice = std::ranges::find(kListNotices, notification.method, &ListNotice::method);
    if (notice != kListNotices.end()) {
        keeper_->on_announced(notice->kind);
    } else if (notification.method == "notifications/resources/updated") {
        on_resource_updated(agent_key, notification.params);
    } else if (notification.method == "notifications/message") {
        on_log(agent_key, notification);
    } else if (notification.method == "notifications/elicitation/complete") {
        if (const auto session = session_of(agent_key)) {
            session->tell(jsonrpc::notification_text(notification.method, notification.params));
        }
    }
}

void Gateway::on_resource_updated(const std::string& agent_key, const std::string& params) {
    const std::string uri = uri_in(params);
    const std::string message =
        jsonrpc::notification_text("notifications/resources/updated", params);
    for (const auto& session : sessions_.all()) {
        const bool is_meant = agent_key.empty() || session->key() == agent_key;
        if (is_meant && session->is_subscribed(uri)) {
            session->tell(message);
        }
    }
    for (const auto& listen : listens()) {
        if (agent_key.empty() || listen->agent_key() == agent_key) {
            listen->on_resource_updated(uri, params);
        }
    }
}

void Gateway::on_log(const std::string& agent_key, const Notification& notification) {
    // A modern agent hears the log of its own requests only.
    const auto session = session_of(agent_key);
    if (session && session->agent() && is_logged(notification.params, session->log_level())) {
        session->tell(jsonrpc::notification_text(notification.method, notification.params));
    }
}

// On a shared link only one agent may be meant: what is one agent's must not reach another.
std::shared_ptr<AgentSession> Gateway::session_of(const std::string& agent_key) const {
    return agent_key.empty() ? sessions_.only_one() : sessions_.find(agent_key);
}

void Gateway::on_question(const std::string& server, const std::string& agent_key,
                          Question question) {
    const auto session = session_of(agent_key);
    const auto agent = session ? session->agent() : nullptr;
    const auto refuse = [&question](std::string_view why) {
        question.answer({.is_error = true,
                         .body = R"({"code":-32603,"message":)" + jsonrpc::quoted_text(why) + "}"});
    };
    if (!agent) {
        refuse("No call of \"" + server +
               "\" is being worked on, and not exactly one agent is here "
               "that could be meant.");
        return;
    }
    if (!abilities_of(agent->face->capabilities).allow(question.method, question.params)) {
        refuse("The agent did not declare that it can do " + question.method + ".");
        return;
    }
    const auto shared = std::make_shared<Question>(std::move(question));
    const auto asked = session->ask(
        shared->method, shared->params, nullptr,
        [shared](downstream::QuestionAnswer answer) { shared->answer(std::move(answer)); });
    if (!asked) {
        shared->answer({.is_error = true,
                        .body = R"({"code":-32603,"message":"The agent cannot be reached now."})"});
    }
}

}  // namespace holdfast::gateway
