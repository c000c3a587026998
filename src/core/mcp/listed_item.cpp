#include "mcp/listed_item.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/message_reader.hpp"
#include "jsonrpc/padded_text.hpp"

namespace holdfast::mcp {
namespace {

using jsonrpc::MessageReader;
using jsonrpc::PaddedText;

constexpr std::string_view kObjectType = R"("object")";
constexpr std::size_t kMaxMembers = 100'000;
constexpr std::size_t kMaxFaults = 10;

/// The definition that is being checked, and what was found so far.
struct Check {
    explicit Check(std::string_view definition) : text(std::string{definition}) {}

    PaddedText text;
    MessageReader reader{{.max_fields = kMaxMembers, .max_batch = kMaxMembers}};
    CheckedItem item = {};

    void note(std::string_view path, std::string_view fault) {
        if (item.faults.size() >= kMaxFaults) {
            return;
        }
        item.faults.push_back(jsonrpc::quoted_text(path).append(" ").append(fault));
    }
    void give_up(std::string_view path, std::string_view fault) {
        item.faults.clear();
        note(path, fault);
        item.is_usable = false;
    }
};

bool starts_string(std::string_view value) noexcept {
    return value.starts_with('"');
}

bool starts_object(std::string_view value) noexcept {
    return value.starts_with('{');
}

bool starts_array(std::string_view value) noexcept {
    return value.starts_with('[');
}

/// One object of the definition with the changes that it needs. If a key occurs twice, the last one
/// counts, as in most parsers.
class Part {
public:
    Part(Check& check, std::string_view value) {
        // Copied, because the reader's result ends with its next use.
        for (const jsonrpc::Field& field : check.reader.read_object(check.text, value).fields()) {
            members_.push_back({.key = std::string{field.key},
                                .key_text = std::string{field.key_text},
                                .value = field.value});
        }
    }

    struct Member {
        std::string key;
        std::string key_text;
        std::string_view value;
        std::optional<std::string> replacement = std::nullopt;
        bool is_removed = false;
    };

    [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const {
        const auto found = std::ranges::find(members_.rbegin(), members_.rend(), key, &Member::key);
        return found == members_.rend() ? std::nullopt : std::optional{found->value};
    }
    [[nodiscard]] const std::vector<Member>& members() const noexcept { return members_; }
    [[nodiscard]] bool has_changed() const noexcept { return has_changed_; }

    void remove(std::string_view key) {
        for (Member& member : members_) {
            member.is_removed = member.is_removed || member.key == key;
        }
        has_changed_ = true;
    }

    void set(std::string_view key, std::string value) {
        const auto last = std::ranges::find(members_.rbegin(), members_.rend(), key, &Member::key);
        if (last == members_.rend()) {
            members_.push_back({.key = std::string{key},
                                .key_text = jsonrpc::quoted_text(key),
                                .value = {},
                                .replacement = std::move(value)});
        } else {
            const std::size_t index = static_cast<std::size_t>(members_.rend() - last) - 1;
            remove(key);
            members_[index].is_removed = false;
            members_[index].replacement = std::move(value);
        }
        has_changed_ = true;
    }

    [[nodiscard]] std::string text() const {
        std::string text{"{"};
        for (const Member& member : members_) {
            if (!member.is_removed) {
                text.append(text.size() > 1 ? "," : "").append(member.key_text).append(":");
                text.append(member.replacement ? *member.replacement : member.value);
            }
        }
        return text.append("}");
    }

private:
    std::vector<Member> members_;
    bool has_changed_ = false;
};

using IsValid = bool (*)(Check&, std::string_view);

/// A member that clients reject if it has the wrong type. Its absence is fine.
struct MemberRule {
    std::string_view key = {};
    IsValid is_valid = nullptr;
    std::string_view fault = {};  ///< Completes `"key" …`.
};

bool valid_string(Check&, std::string_view value) {
    return starts_string(value);
}

bool valid_object(Check&, std::string_view value) {
    return starts_object(value);
}

bool valid_flag(Check&, std::string_view value) {
    return value == "true" || value == "false";
}

bool valid_number(Check&, std::string_view value) {
    return jsonrpc::is_number(value);
}

bool valid_strings(Check& check, std::string_view value) {
    return starts_array(value) &&
           std::ranges::all_of(check.reader.read_list(check.text, value), starts_string);
}

bool valid_roles(Check& check, std::string_view value) {
    return starts_array(value) &&
           std::ranges::all_of(
               check.reader.read_list(check.text, value), [](std::string_view role) {
                   return starts_string(role) &&
                          (jsonrpc::says(role, "user") || jsonrpc::says(role, "assistant"));
               });
}

bool valid_priority(Check&, std::string_view value) {
    double number = -1;
    const auto [read_to, error] =
        std::from_chars(value.data(), value.data() + value.size(), number);
    return error == std::errc{} && read_to == value.data() + value.size() && number >= 0 &&
           number <= 1;
}

bool valid_theme(Check&, std::string_view value) {
    return starts_string(value) && (jsonrpc::says(value, "light") || jsonrpc::says(value, "dark"));
}

constexpr bool is_decimal_digit(char character) noexcept {
    return character >= '0' && character <= '9';
}

/// Removes a number of exactly `digits` digits from the front; nothing if there is none in that
/// range.
std::optional<int> take_number(std::string_view& text, std::size_t digits, int least, int most) {
    const std::string_view shown = text.substr(0, digits);
    if (shown.size() < digits || !std::ranges::all_of(shown, is_decimal_digit)) {
        return std::nullopt;
    }
    int number = 0;
    std::ignore = std::from_chars(shown.data(), shown.data() + shown.size(), number);
    text.remove_prefix(digits);
    return number >= least && number <= most ? std::optional{number} : std::nullopt;
}

bool take(std::string_view& text, char mark) {
    if (!text.starts_with(mark)) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

constexpr int kMaxHour = 23;
constexpr int kMaxMinute = 59;

bool take_hours_and_minutes(std::string_view& text) {
    return take_number(text, 2, 0, kMaxHour) && take(text, ':') &&
           take_number(text, 2, 0, kMaxMinute);
}

bool take_date(std::string_view& text) {
    constexpr std::array<int, 12> kDays{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const auto year = take_number(text, 4, 0, 9'999);
    const auto month = year && take(text, '-') ? take_number(text, 2, 1, 12) : std::nullopt;
    if (!month || !take(text, '-')) {
        return false;
    }
    const bool is_leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
    const int days = *month == 2 && !is_leap ? 28 : kDays.at(static_cast<std::size_t>(*month) - 1);
    return take_number(text, 2, 1, days).has_value();
}

bool take_seconds(std::string_view& text) {
    if (!take(text, ':')) {
        return true;  // optional
    }
    if (!take_number(text, 2, 0, kMaxMinute)) {
        return false;
    }
    if (!take(text, '.')) {
        return true;
    }
    const std::size_t digits = std::min(
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_decimal_digit) - text.begin()),
        text.size());
    text.remove_prefix(digits);
    return digits > 0;
}

/// A time of ISO 8601 with its zone.
bool valid_time(Check&, std::string_view value) {
    if (!starts_string(value)) {
        return false;
    }
    const std::string decoded = jsonrpc::decoded(value);
    std::string_view text = decoded;
    if (!take_date(text) || !take(text, 'T') || !take_hours_and_minutes(text) ||
        !take_seconds(text)) {
        return false;
    }
    const bool has_zone =
        take(text, 'Z') || ((take(text, '+') || take(text, '-')) && take_hours_and_minutes(text));
    return has_zone && text.empty();
}

constexpr std::string_view kNotString = "is not a string (removed)";
constexpr std::string_view kNotObject = "is not an object (removed)";
constexpr std::string_view kNotArray = "is not an array (removed)";
constexpr std::string_view kNotFlag = "is not true or false (removed)";
constexpr std::string_view kNotStrings = "is not an array of strings (removed)";

constexpr std::array kCommonRules{
    MemberRule{.key = "title", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "description", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "_meta", .is_valid = valid_object, .fault = kNotObject},
};
constexpr std::array kResourceRules{
    MemberRule{.key = "mimeType", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "size", .is_valid = valid_number, .fault = "is not a number (removed)"},
};
constexpr std::array kToolAnnotationRules{
    MemberRule{.key = "title", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "readOnlyHint", .is_valid = valid_flag, .fault = kNotFlag},
    MemberRule{.key = "destructiveHint", .is_valid = valid_flag, .fault = kNotFlag},
    MemberRule{.key = "idempotentHint", .is_valid = valid_flag, .fault = kNotFlag},
    MemberRule{.key = "openWorldHint", .is_valid = valid_flag, .fault = kNotFlag},
};
constexpr std::array kAnnotationRules{
    MemberRule{.key = "audience",
               .is_valid = valid_roles,
               .fault = "is not an array of \"user\" and \"assistant\" (removed)"},
    MemberRule{.key = "priority",
               .is_valid = valid_priority,
               .fault = "is not a number from 0 to 1 (removed)"},
    MemberRule{.key = "lastModified",
               .is_valid = valid_time,
               .fault = "is not a time of ISO 8601 with a zone (removed)"},
};
constexpr std::array kIconRules{
    MemberRule{.key = "mimeType", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "sizes", .is_valid = valid_strings, .fault = kNotStrings},
    MemberRule{
        .key = "theme", .is_valid = valid_theme, .fault = "is not \"light\" or \"dark\" (removed)"},
};
constexpr std::array kArgumentRules{
    MemberRule{.key = "description", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "required", .is_valid = valid_flag, .fault = kNotFlag},
};
constexpr std::array kSchemaRules{
    MemberRule{.key = "$schema", .is_valid = valid_string, .fault = kNotString},
    MemberRule{.key = "properties", .is_valid = valid_object, .fault = kNotObject},
    MemberRule{.key = "required", .is_valid = valid_strings, .fault = kNotStrings},
};

void apply(Check& check, Part& part, std::span<const MemberRule> rules, const std::string& path) {
    for (const MemberRule& rule : rules) {
        const auto value = part.find(rule.key);
        if (value && !rule.is_valid(check, *value)) {
            part.remove(rule.key);
            check.note(path + std::string{rule.key}, rule.fault);
        }
    }
}

/// Applies rules to the members of an object that is a member itself.
void apply_within(Check& check, Part& part, std::string_view key,
                  std::span<const MemberRule> rules) {
    const auto value = part.find(key);
    if (!value) {
        return;
    }
    if (!starts_object(*value)) {
        part.remove(key);
        check.note(key, kNotObject);
        return;
    }
    Part inner{check, *value};
    apply(check, inner, rules, std::string{key} + ".");
    if (inner.has_changed()) {
        part.set(key, inner.text());
    }
}

/// A list of objects, each of which needs one string.
struct ListRule {
    std::string_view key = {};
    std::string_view needed = {};
    std::span<const MemberRule> rules = {};
};

void apply_to_each(Check& check, Part& part, const ListRule& rule) {
    const auto value = part.find(rule.key);
    if (!value) {
        return;
    }
    if (!starts_array(*value)) {
        part.remove(rule.key);
        check.note(rule.key, kNotArray);
        return;
    }
    std::string text{"["};
    bool has_changed = false;
    std::size_t index = 0;
    for (const std::string_view element : check.reader.read_list(check.text, *value)) {
        const std::string path = std::string{rule.key} + "[" + std::to_string(index++) + "]";
        Part inner{check, element};
        if (!starts_string(inner.find(rule.needed).value_or(""))) {
            check.note(path, "has no \"" + std::string{rule.needed} + "\" (removed)");
            has_changed = true;
            continue;
        }
        apply(check, inner, rule.rules, path + ".");
        has_changed = has_changed || inner.has_changed();
        text.append(text.size() > 1 ? "," : "");
        text.append(inner.has_changed() ? inner.text() : std::string{element});
    }
    if (has_changed && text.size() == 1) {
        part.remove(rule.key);
    } else if (has_changed) {
        part.set(rule.key, text.append("]"));
    }
}

/// Returns an object that says the same as the schema of a property that is not one.
std::string as_object(std::string_view schema) {
    return schema == "false" ? R"({"not":{}})" : "{}";
}

void check_properties(Check& check, Part& schema, const std::string& path) {
    const auto value = schema.find("properties");
    if (!value || !starts_object(*value)) {
        return;  // removed already
    }
    Part properties{check, *value};
    std::vector<std::string> odd;
    for (const Part::Member& member : properties.members()) {
        if (!starts_object(member.value) && !starts_array(member.value)) {
            odd.push_back(member.key);
        }
    }
    for (const std::string& key : odd) {
        properties.set(key, as_object(properties.find(key).value_or("true")));
        check.note(std::string{path}.append("properties.").append(key),
                   "is not an object (replaced by one)");
    }
    if (properties.has_changed()) {
        schema.set("properties", properties.text());
    }
}

bool lists_object_type(Check& check, std::string_view type) {
    return starts_array(type) &&
           std::ranges::any_of(check.reader.read_list(check.text, type), [](std::string_view name) {
               return starts_string(name) && jsonrpc::says(name, "object");
           });
}

void check_input_type(Check& check, Part& schema) {
    const auto type = schema.find("type");
    if (type && starts_string(*type) && jsonrpc::says(*type, "object")) {
        return;
    }
    if (type && lists_object_type(check, *type)) {
        schema.set("type", std::string{kObjectType});
        check.note("inputSchema.type", "is not \"object\" alone (replaced)");
    } else if (type && (starts_string(*type) || starts_array(*type))) {
        check.give_up("inputSchema.type", "is not \"object\", so it accepts no arguments");
    } else {
        schema.set("type", std::string{kObjectType});
        check.note("inputSchema.type", "is not \"object\" (added)");
    }
}

void check_input_schema(Check& check, Part& tool) {
    const auto value = tool.find("inputSchema");
    if (!value || !starts_object(*value)) {
        check.give_up("inputSchema", value ? "is not an object" : "is missing");
        return;
    }
    Part schema{check, *value};
    check_input_type(check, schema);
    apply(check, schema, kSchemaRules, "inputSchema.");
    check_properties(check, schema, "inputSchema.");
    if (schema.has_changed()) {
        tool.set("inputSchema", schema.text());
    }
}

void check_output_schema(Check& check, Part& tool) {
    const auto value = tool.find("outputSchema");
    if (!value) {
        return;
    }
    if (!starts_object(*value)) {
        tool.remove("outputSchema");
        check.note("outputSchema", kNotObject);
        return;
    }
    Part schema{check, *value};
    const auto type = schema.find("type").value_or("");
    // Only the schemas of objects have rules in all revisions.
    const bool is_of_object = starts_string(type) && jsonrpc::says(type, "object");
    apply(check, schema,
          is_of_object ? std::span<const MemberRule>{kSchemaRules}
                       : std::span<const MemberRule>{kSchemaRules}.first(1),
          "outputSchema.");
    if (is_of_object) {
        check_properties(check, schema, "outputSchema.");
    }
    if (schema.has_changed()) {
        tool.set("outputSchema", schema.text());
    }
}

void check_name(Check& check, Part& part, std::string_view identity) {
    const auto name = part.find("name");
    const auto uri = part.find(identity);
    if (uri && !starts_string(name.value_or(""))) {
        part.set("name", std::string{*uri});
        check.note("name", "is not a string (replaced by the URI)");
    }
}

void check_kind(Check& check, Part& part, ItemKind kind) {
    switch (kind) {
        case ItemKind::tool:
            apply_within(check, part, "annotations", kToolAnnotationRules);
            check_output_schema(check, part);
            check_input_schema(check, part);
            break;
        case ItemKind::prompt:
            apply_to_each(check, part,
                          {.key = "arguments", .needed = "name", .rules = kArgumentRules});
            break;
        case ItemKind::resource:
        case ItemKind::resource_template:
            check_name(check, part, kind == ItemKind::resource ? "uri" : "uriTemplate");
            apply(check, part,
                  std::span<const MemberRule>{kResourceRules}.first(
                      kind == ItemKind::resource ? kResourceRules.size() : 1),
                  {});
            apply_within(check, part, "annotations", kAnnotationRules);
            break;
    }
}

}  // namespace

CheckedItem checked_item(ItemKind kind, std::string_view definition) {
    Check check{definition};
    Part part{check, check.text.view()};
    apply(check, part, kCommonRules, {});
    apply_to_each(check, part, {.key = "icons", .needed = "src", .rules = kIconRules});
    check_kind(check, part, kind);
    if (part.has_changed() && check.item.is_usable) {
        check.item.repaired = part.text();
    }
    return std::move(check.item);
}

}  // namespace holdfast::mcp
