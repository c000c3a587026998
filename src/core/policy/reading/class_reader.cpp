#include "policy/reading/class_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "config/key_table.hpp"
#include "config/object_reader.hpp"
#include "config/value_kinds.hpp"

namespace holdfast::config {

template <>
struct Choices<resilience::Outcome> {
    static constexpr std::array<NamedChoice<resilience::Outcome>, 3> kAll = {{
        {.name = "failure", .choice = resilience::Outcome::failure},
        {.name = "neutral", .choice = resilience::Outcome::neutral},
        {.name = "success", .choice = resilience::Outcome::success},
    }};
};

}  // namespace holdfast::config

namespace holdfast::policy {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;
using config::ObjectReader;

Node numbers_schema() {
    return config::one_or_list_schema(config::any_of(
        {config::object_node({{"type", config::text_node("integer")}}), config::text_schema()}));
}

Node texts_schema() {
    return config::one_or_list_schema(config::text_schema());
}

Node retry_schema() {
    return config::any_of({config::object_node({{"type", config::text_node("boolean")}}),
                           config::object_node({{"const", config::text_node("throttled")}})});
}

/// A single value, or the items of a list.
std::span<const Node> items_of(const Node& value) {
    return value.kind == NodeKind::list ? std::span{value.items} : std::span{&value, 1};
}

std::optional<int> whole_number(double number, NumberRange allowed) {
    const bool fits =
        number == std::floor(number) && number >= allowed.first && number <= allowed.last;
    return fits ? std::optional{static_cast<int>(number)} : std::nullopt;
}

/// 429, or "500-599".
std::optional<NumberRange> number_range(const Node& value, NumberRange allowed) {
    if (value.kind == NodeKind::number) {
        const auto number = whole_number(value.number, allowed);
        return number ? std::optional{NumberRange{.first = *number, .last = *number}}
                      : std::nullopt;
    }
    // A leading minus sign belongs to the number.
    const std::string_view text = value.text;
    const std::size_t dash = text.find('-', 1);
    if (value.kind != NodeKind::text || dash == std::string_view::npos) {
        return std::nullopt;
    }
    const auto first = config::parsed_number(text.substr(0, dash));
    const auto last = config::parsed_number(text.substr(dash + 1));
    if (!first || !last || *first > *last || !whole_number(*first, allowed) ||
        !whole_number(*last, allowed)) {
        return std::nullopt;
    }
    return NumberRange{.first = static_cast<int>(*first), .last = static_cast<int>(*last)};
}

std::optional<std::vector<NumberRange>> read_numbers(ObjectReader& entry, std::string_view key,
                                                     NumberRange allowed,
                                                     std::string_view expected) {
    const Node* value = entry.find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::vector<NumberRange> ranges;
    for (const Node& item : items_of(*value)) {
        if (const auto range = number_range(item, allowed)) {
            ranges.push_back(*range);
        } else {
            entry.refuse(item, key,
                         "must be " + std::string{expected} + ", not " + config::shown(item));
        }
    }
    return ranges;
}

bool is_errno_name(std::string_view name) {
    return name.size() > 1 && name.front() == 'E' && std::ranges::all_of(name, [](char one) {
               return (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
           });
}

bool is_some_text(std::string_view text) {
    return !text.empty();
}

std::optional<std::vector<std::string>> read_texts(ObjectReader& entry, std::string_view key,
                                                   bool (*fits)(std::string_view),
                                                   std::string_view expected) {
    const Node* value = entry.find(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    std::vector<std::string> texts;
    for (const Node& item : items_of(*value)) {
        if (item.kind == NodeKind::text && fits(item.text)) {
            texts.push_back(item.text);
        } else {
            entry.refuse(item, key,
                         "must be " + std::string{expected} + ", not " + config::shown(item));
        }
    }
    return texts;
}

void read_statuses(ObjectReader& entry, std::string_view key, ClassChange& change) {
    change.statuses = read_numbers(entry, key, {.first = 400, .last = 599},
                                   "a status from 400 to 599, or a range as in \"500-599\"");
}

void read_codes(ObjectReader& entry, std::string_view key, ClassChange& change) {
    change.codes = read_numbers(entry, key, {.first = -2'000'000'000, .last = 2'000'000'000},
                                "a JSON-RPC code, or a range as in \"-32099--32000\"");
}

void read_errnos(ObjectReader& entry, std::string_view key, ClassChange& change) {
    change.errnos = read_texts(entry, key, is_errno_name, "the name of an errno, as in \"EBUSY\"");
}

template <std::optional<std::vector<std::string>> ClassChange::* Member>
void read_words(ObjectReader& entry, std::string_view key, ClassChange& change) {
    change.*Member = read_texts(entry, key, is_some_text, "text that is not empty");
}

void read_retry(ObjectReader& entry, std::string_view key, ClassChange& change) {
    using resilience::FailureKind;
    const Node* value = entry.find(key);
    if (value == nullptr) {
        return;
    }
    if (value->kind == NodeKind::boolean) {
        change.retry = value->boolean ? FailureKind::transient : FailureKind::permanent;
    } else if (value->kind == NodeKind::text && value->text == "throttled") {
        change.retry = FailureKind::throttled;
    } else {
        entry.refuse(*value, key,
                     "must be true, false or \"throttled\", not " + config::shown(*value));
    }
}

constexpr std::array kClassKeys = {
    config::Key<ClassChange>{
        .info = {.name = "status",
                 .description = "An HTTP status: 429, `\"500-599\"`, or a list",
                 .schema = numbers_schema},
        .read = read_statuses},
    config::Key<ClassChange>{.info = {.name = "code",
                                      .description = "A JSON-RPC code, a range or a list",
                                      .schema = numbers_schema},
                             .read = read_codes},
    config::Key<ClassChange>{
        .info = {.name = "errno",
                 .description = "The name of an errno, such as `EBUSY`, or a list",
                 .schema = texts_schema},
        .read = read_errnos},
    config::Key<ClassChange>{
        .info = {.name = "words",
                 .description = "Text that occurs anywhere in the error, case-insensitive; or a "
                                "list",
                 .schema = texts_schema},
        .read = read_words<&ClassChange::words>},
    config::Key<ClassChange>{
        .info = {.name = "unless",
                 .description = "Text, or a list. If one of these is in the error, a status does "
                                "not select the class, unless one of `words` is in it too",
                 .schema = texts_schema},
        .read = read_words<&ClassChange::unless>},
    config::Key<ClassChange>{
        .info = {.name = "retry",
                 .description = "Whether a retry may help; `throttled`: after a longer delay",
                 .schema = retry_schema},
        .read = read_retry},
    config::key<config::ChoiceKind<resilience::Outcome>, &ClassChange::counts>(
        "counts", "How an error of this class counts on the circuit"),
};

struct KeySpot {
    config::Place place;
    const std::string& path;
};

void refuse_useless(config::FaultReport& report, const ClassChange& change, const ErrorClass* known,
                    const KeySpot& spot) {
    const bool is_recognised = change.statuses || change.codes || change.errnos || change.words;
    if (!is_recognised && known == nullptr) {
        report.refuse(spot.place, spot.path +
                                      ": no error belongs to this class; add \"status\", \"code\", "
                                      "\"errno\" or \"words\"");
        return;
    }
    const bool has_status =
        change.statuses ? !change.statuses->empty() : known != nullptr && !known->statuses.empty();
    if (change.unless && !has_status) {
        report.refuse(spot.place, spot.path +
                                      ": \"unless\" has no effect on a class without \"status\"; "
                                      "add \"status\" or remove \"unless\"");
    }
}

}  // namespace

std::vector<config::KeyInfo> class_keys() {
    return config::infos_of(kClassKeys);
}

std::vector<ClassChange> read_classes(config::FaultReport& report, const Node& section,
                                      const ErrorClasses& known) {
    std::vector<ClassChange> changes;
    if (section.kind != NodeKind::object) {
        report.refuse(section.place, "classes: must be an object of error classes by name, not " +
                                         std::string{config::kind_phrase(section)});
        return changes;
    }
    for (const Member& member : section.members) {
        const std::string path = config::key_path("classes", member.key);
        if (member.key == "*") {
            report.refuse(member.key_place,
                          path + ": \"*\" means all classes; choose another name");
        } else if (member.value.kind != NodeKind::object) {
            report.refuse(member.value.place, path + ": must be an object, not " +
                                                  std::string{config::kind_phrase(member.value)});
        } else {
            ObjectReader entry{report, member.value, path};
            ClassChange change{.name = member.key};
            config::read_object(entry, kClassKeys, change);
            changes.push_back(std::move(change));
            refuse_useless(report, changes.back(), find_class(known, member.key),
                           {.place = member.key_place, .path = path});
        }
    }
    return changes;
}

}  // namespace holdfast::policy
