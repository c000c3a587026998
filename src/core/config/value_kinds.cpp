#include "config/value_kinds.hpp"

namespace holdfast::config {
namespace {

constexpr std::string_view kDeadline = "deadline";

}  // namespace

void QueueWaitKind::read(ObjectReader& object, std::string_view name,
                         std::optional<Duration>& into) {
    const Node* value = object.find(name);
    if (value == nullptr) {
        return;
    }
    if (value->kind == NodeKind::text && scalar_text(*value) == kDeadline) {
        into.reset();
        return;
    }
    Duration duration = into.value_or(Duration::zero());
    object.read_duration(name, duration, kAnyDuration);
    into = duration;
}

Node QueueWaitKind::schema(const std::optional<Duration>& value) {
    return with_default(
        any_of({duration_schema(kAnyDuration), object_node({{"const", text_node(kDeadline)}})}),
        text_node(text(value)));
}

}  // namespace holdfast::config
