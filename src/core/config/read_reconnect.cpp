#include "config/read_reconnect.hpp"

#include <array>

#include "config/config_keys.hpp"
#include "config/key_table.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::config {
namespace {

constexpr std::array kReconnectKeys = {
    key<PositiveDuration, &ReconnectOptions::delay>("delay", "Delay before the first attempt"),
    key<NumberKind<1'000, 100'000>, &ReconnectOptions::multiplier>(
        "multiplier", "Factor on the delay after each failed attempt"),
    key<PositiveDuration, &ReconnectOptions::max_delay>("maxDelay", "The longest delay"),
    key<ShareKind, &ReconnectOptions::jitter>(
        "jitter", "Share of a delay by which it is randomly longer or shorter"),
    key<CountKind<1, 1'000'000>, &ReconnectOptions::attempts>(
        "attempts",
        "After this number of failed attempts in a row, calls fail with `RETRY_EXHAUSTED`; the "
        "gateway keeps trying to connect"),
};

}  // namespace

std::vector<KeyInfo> reconnect_keys() {
    return infos_of(kReconnectKeys);
}

ReconnectOptions read_reconnect(ObjectReader& owner) {
    ReconnectOptions options;
    const Node* object = owner.find_object("reconnect");
    if (object == nullptr) {
        return options;
    }
    ObjectReader reader{owner.report(), *object, owner.path_of("reconnect")};
    read_object(reader, kReconnectKeys, options);
    if (options.delay > options.max_delay) {
        reader.refuse_together({"delay", "maxDelay"},
                               "\"delay\" is " + duration_text(options.delay) +
                                   " and must not be longer than \"maxDelay\", which is " +
                                   duration_text(options.max_delay));
    }
    return options;
}

}  // namespace holdfast::config
