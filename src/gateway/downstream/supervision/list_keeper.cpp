#include "downstream/supervision/list_keeper.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <exception>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/text_cut.hpp"
#include "downstream/supervision/list_pages.hpp"
#include "downstream/tool_headers.hpp"
#include "jsonrpc/json_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::downstream {
namespace {

constexpr std::array kAllKinds{ListKind::tools, ListKind::prompts, ListKind::resources,
                               ListKind::templates};
constexpr int kMethodNotFound = -32601;
constexpr std::size_t kMaxRefusalBytes = 500;

/// Templates have no notification of their own; they share that of the resources.
ListKind announced_as(ListKind kind) noexcept {
    return kind == ListKind::templates ? ListKind::resources : kind;
}

std::optional<ListKind> changed_list(std::string_view method) noexcept {
    if (method == "notifications/tools/list_changed") {
        return ListKind::tools;
    }
    if (method == "notifications/prompts/list_changed") {
        return ListKind::prompts;
    }
    if (method == "notifications/resources/list_changed") {
        return ListKind::resources;
    }
    return std::nullopt;
}

/// Cuts between words, because half a secret would not be recognised and hidden.
std::string_view without_cut_word(std::string_view text) {
    const std::string_view beginning = base::beginning_of(text, kMaxRefusalBytes);
    if (beginning.size() == text.size()) {
        return text;
    }
    const std::size_t last_blank = beginning.find_last_of(" \t\r\n");
    return last_blank == std::string_view::npos ? "" : beginning.substr(0, last_blank);
}

/// Includes the server's own message.
CallFault refusal_fault(const Answer& refusal) {
    const auto message =
        jsonrpc::part_reader().read_object(refusal.text(), refusal.body()).find("message");
    const std::string said =
        message && message->starts_with('"') ? jsonrpc::decoded(*message) : std::string{};
    return {.message = "The server answered with the error " + std::to_string(refusal.error_code) +
                       ": " + std::string{without_cut_word(said)},
            .delivery = resilience::Delivery::answered};
}

/// Removes the tools with invalid annotations; returns the headers of the others.
std::shared_ptr<const ToolHeaderTable> checked_tool_headers(Listing& listing) {
    ToolHeaders headers = tool_headers_of(listing.entries);
    std::unordered_set<std::string_view> invalid;
    for (const InvalidTool& tool : headers.invalid) {
        invalid.insert(tool.name);
        listing.faults.add(named_item(ListKind::tools, tool.name) +
                           " is not listed: " + tool.reason);
    }
    std::erase_if(listing.entries,
                  [&](const ListedEntry& entry) { return invalid.contains(entry.key); });
    return std::make_shared<const ToolHeaderTable>(std::move(headers.table));
}

}  // namespace

ListKeeper::Part::Part(ListKind part_kind, const DownstreamOptions& options,
                       resilience::Timekeeper& timekeeper)
    : kind(part_kind),
      schedule(options.reconnect, options.relist_after,
               options.seed + 1 + static_cast<std::uint64_t>(part_kind)),
      wake(timekeeper) {}

ListKeeper::ListKeeper(net::OwningLoop home, std::shared_ptr<Link> link,
                       const DownstreamOptions& options, ListReader reader)
    : home_(std::move(home)),
      link_(std::move(link)),
      options_(options),
      reader_(std::move(reader)),
      capabilities_(server_capabilities_of(link_->negotiated().capabilities)) {
    for (const ListKind kind : kAllKinds) {
        if (capabilities_.of(kind).is_offered) {
            parts_.at(static_cast<std::size_t>(kind)) =
                std::make_unique<Part>(kind, options_, *home_.timekeeper);
        }
    }
}

void ListKeeper::start() {
    for (const auto& part : parts_) {
        if (part) {
            boost::asio::co_spawn(home_.executor, keep(shared_from_this(), *part),
                                  boost::asio::bind_cancellation_slot(
                                      part->cancel.slot(),
                                      [self = shared_from_this()](const std::exception_ptr&) {}));
        }
    }
}

bool ListKeeper::on_notification(const Notification& notification) {
    const auto kind = changed_list(notification.method);
    if (!kind || is_stopped_ || !capabilities_.of(*kind).is_offered) {
        return false;
    }
    untold_.at(static_cast<std::size_t>(*kind)) = notification;
    for (const auto& part : parts_) {
        if (part && announced_as(part->kind) == *kind) {
            part->schedule.on_change(home_.timekeeper->now());
            part->wake.signal();
        }
    }
    tell_change_if_settled(*kind);
    return true;
}

std::size_t ListKeeper::unread() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(parts_, [](const auto& part) { return part && !part->is_read; }));
}

void ListKeeper::stop() {
    is_stopped_ = true;
    // Posted, so that the signals live until they have reached the coroutines.
    boost::asio::post(home_.executor, [self = shared_from_this()] {
        for (const auto& part : self->parts_) {
            if (part) {
                part->cancel.emit(boost::asio::cancellation_type::terminal);
            }
        }
    });
}

// The part belongs to the keeper, which the coroutine keeps alive.
boost::asio::awaitable<void> ListKeeper::keep(std::shared_ptr<ListKeeper> self, Part& part) {
    co_await boost::asio::this_coro::throw_if_cancelled(false);
    while (!self->is_stopped_) {
        if (!self->must_list(part)) {
            co_await part.wake.wait_until(part.schedule.due_at());
            continue;
        }
        part.schedule.on_begin();
        ListedPages result = co_await read_list(self, part.kind);
        if (!self->is_stopped_) {
            self->deliver(part, std::move(result));
        }
    }
}

boost::asio::awaitable<ListKeeper::ListedPages> ListKeeper::read_list(
    std::shared_ptr<ListKeeper> self, ListKind kind) {
    ListPages pages{kind,
                    {.max_pages = self->options_.max_list_pages,
                     .max_entries = self->options_.max_list_entries}};
    for (;;) {
        Request request;
        request.method = method_of(kind);
        request.params_members = pages.params_members();
        request.deadline =
            resilience::Deadline::after(self->home_.timekeeper->now(), self->options_.list_wait);
        const CallResult page =
            co_await self->link_->call(self->home_, std::move(request), nullptr);
        if (!page) {
            co_return page.error();
        }
        if (page.value().is_error()) {
            // The downstream offers the group, such as resources, but not this list: it is empty.
            if (page.value().error_code == kMethodNotFound) {
                co_return pages.take();
            }
            co_return refusal_fault(page.value());
        }
        const ListPages::Step step = pages.add(page.value());
        if (step == ListPages::Step::malformed) {
            co_return CallFault{.kind = CallFault::Kind::malformed,
                                .message = "The server's answer is not a valid list.",
                                .delivery = resilience::Delivery::answered};
        }
        if (step == ListPages::Step::complete) {
            co_return pages.take();
        }
    }
}

bool ListKeeper::must_list(Part& part) const {
    const auto now = home_.timekeeper->now();
    if (now < part.schedule.due_at()) {
        return false;
    }
    // Only old and not called since: not worth a request.
    if (part.schedule.is_old_only() && part.lives_for &&
        reader_.calls() == part.calls_when_listed) {
        part.schedule.on_postponed(now, *part.lives_for);
        return false;
    }
    return true;
}

void ListKeeper::deliver(Part& part, ListedPages result) {
    const auto now = home_.timekeeper->now();
    if (!result) {
        part.schedule.on_failed(now);
        reader_.on_failed(part.kind, result.error());
        tell_change_if_settled(part.kind);
        return;
    }
    Listing listing = std::move(result).value();
    if (part.kind == ListKind::tools && options_.checks_tool_headers) {
        link_->set_tool_headers(checked_tool_headers(listing));
    }
    part.is_read = true;
    part.calls_when_listed = reader_.calls();
    part.lives_for = life_of(listing);
    part.schedule.on_listed(now, part.lives_for);
    reader_.on_listed(std::move(listing));
    tell_change_if_settled(part.kind);
}

void ListKeeper::tell_change_if_settled(ListKind kind) {
    for (const auto& part : parts_) {
        if (part && announced_as(part->kind) == announced_as(kind) &&
            !part->schedule.is_settled()) {
            return;
        }
    }
    auto& untold = untold_.at(static_cast<std::size_t>(announced_as(kind)));
    if (untold && !is_stopped_) {
        reader_.on_changed(*std::exchange(untold, std::nullopt));
    }
}

std::optional<resilience::Duration> ListKeeper::life_of(const Listing& listing) const {
    const bool is_modern = link_->negotiated().era() == mcp::Era::modern;
    if (!is_modern || capabilities_.of(listing.kind).tells_changes || listing.ttl_ms <= 0) {
        return std::nullopt;
    }
    constexpr std::chrono::milliseconds kLongest = std::chrono::hours{24};
    return std::min(std::chrono::milliseconds{listing.ttl_ms}, kLongest);
}

}  // namespace holdfast::downstream
