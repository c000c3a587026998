#include "calls/stale_answers.hpp"

#include <fmt/core.h>

#include <utility>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/json_writer.hpp"
#include "jsonrpc/object_edit.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::calls {
namespace {

using jsonrpc::with_member;

std::string member(std::string_view object, std::string_view key, std::string_view otherwise) {
    const jsonrpc::PaddedText text{std::string{object}};
    return std::string{
        jsonrpc::part_reader().read_object(text, text.view()).find(key).value_or(otherwise)};
}

}  // namespace

void StaleAnswers::keep(const std::string& call, std::string result, resilience::TimePoint now) {
    const std::size_t cost = call.size() + result.size();
    auto kept = std::make_shared<const std::string>(std::move(result));
    cache_.with([&](Cache& cache) { std::ignore = cache.put(call, std::move(kept), cost, now); });
}

std::optional<StaleAnswer> StaleAnswers::find(const std::string& call, resilience::Duration max_age,
                                              resilience::TimePoint now) const {
    return cache_.with([&](const Cache& cache) -> std::optional<StaleAnswer> {
        const auto found = cache.find(call, now);
        if (!found || found->age > max_age) {
            return std::nullopt;
        }
        return StaleAnswer{.result = found->value, .age = found->age};
    });
}

std::string stale_result(const StaleAnswer& answer, const Failure& failure) {
    const std::int64_t age = whole_seconds(answer.age);
    const std::string words =
        fmt::format("This answer is {} s old, since there is no new one: {}", age, failure.message);
    std::string content = R"([{"type":"text","text":)" + jsonrpc::quoted_text(words) + "}";
    const std::string old_content = member(*answer.result, "content", "[]");
    if (old_content.find('{') != std::string::npos) {
        content += "," + old_content.substr(1);
    } else {
        content += "]";
    }
    jsonrpc::JsonWriter stale;
    stale.begin_object();
    stale.key("age").number(age);
    stale.key("failure").raw(json_of(failure));
    stale.end_object();
    const std::string meta =
        with_member(member(*answer.result, "_meta", "{}"), "dev.holdfast/stale", stale.take());
    return with_member(with_member(*answer.result, "content", content), "_meta", meta);
}

}  // namespace holdfast::calls
