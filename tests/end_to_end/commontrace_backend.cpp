#include "end_to_end/commontrace_backend.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include <boost/json.hpp>

#include "base/text_cut.hpp"

namespace holdfast::test {
namespace {

namespace json = boost::json;

constexpr std::string_view kTraces = "/api/v1/traces";
constexpr std::string_view kNewId = "0d4f8f4e-2f6e-4d6a-9c2b-7e5a1b3c9d10";

enum class FieldKind : std::uint8_t { text, texts, whole_number, uuid, date };

/// A field of a published request schema.
struct Field {
    std::string_view name;
    FieldKind kind = FieldKind::text;
    bool is_required = false;
    std::size_t min = 0;
    std::size_t max = 1'000'000;
    std::vector<std::string_view> choices = {};
};

const std::vector<Field> kSearchFields = {
    {.name = "q", .max = 2'000},
    {.name = "tags", .kind = FieldKind::texts, .max = 10},
    {.name = "limit", .kind = FieldKind::whole_number, .min = 1, .max = 50},
};
const std::vector<Field> kTraceFields = {
    {.name = "title", .is_required = true, .min = 1, .max = 200},
    {.name = "context_text", .is_required = true, .min = 1, .max = 50'000},
    {.name = "solution_text", .is_required = true, .min = 1, .max = 50'000},
    {.name = "tags", .kind = FieldKind::texts, .max = 20},
    {.name = "supersedes_trace_id", .kind = FieldKind::uuid},
    {.name = "review_after", .kind = FieldKind::date},
    {.name = "watch_condition", .max = 500},
};
const std::vector<Field> kVoteFields = {
    {.name = "vote_type", .is_required = true, .choices = {"up", "down"}},
    {.name = "feedback_tag", .choices = {"outdated", "wrong", "security_concern", "spam"}},
    {.name = "feedback_text"},
};
const std::vector<Field> kAmendmentFields = {
    {.name = "improved_solution", .is_required = true, .min = 1},
    {.name = "explanation", .is_required = true, .min = 1},
};

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char one) { return !base::continues_character(one); }));
}

bool is_uuid(std::string_view text) {
    if (text.size() != 36) {
        return false;
    }
    for (std::size_t index = 0; index < text.size(); ++index) {
        const bool is_dash = index == 8 || index == 13 || index == 18 || index == 23;
        if (is_dash != (text[index] == '-') ||
            (!is_dash && std::isxdigit(static_cast<unsigned char>(text[index])) == 0)) {
            return false;
        }
    }
    return true;
}

/// Returns what is wrong with a value; may be empty.
std::string fault_of(const Field& field, const json::value& value) {
    if (field.kind == FieldKind::whole_number) {
        const auto* const number = value.if_int64();
        const bool fits = number != nullptr && *number >= static_cast<std::int64_t>(field.min) &&
                          *number <= static_cast<std::int64_t>(field.max);
        return fits ? "" : "Input should be a valid integer within its limits";
    }
    if (field.kind == FieldKind::texts) {
        const auto* const list = value.if_array();
        const bool are_texts = list != nullptr && std::ranges::all_of(*list, [](const auto& item) {
                                   return item.is_string();
                               });
        return are_texts && list->size() <= field.max ? "" : "List should have valid items";
    }
    const auto* const text = value.if_string();
    if (text == nullptr) {
        return "Input should be a valid string";
    }
    const std::size_t count = characters_in(*text);
    if (count < field.min || count > field.max) {
        return "String should have at least " + std::to_string(field.min) + " and at most " +
               std::to_string(field.max) + " characters";
    }
    if ((field.kind == FieldKind::uuid && !is_uuid(*text)) ||
        (field.kind == FieldKind::date && !text->starts_with("20"))) {
        return "Input should be valid";
    }
    const bool is_choice =
        field.choices.empty() ||
        std::ranges::find(field.choices, std::string_view{*text}) != field.choices.end();
    return is_choice ? "" : "Input should be one of the choices";
}

json::object problem(std::string_view field, std::string_view message) {
    return {{"type", "value_error"}, {"loc", {"body", field}}, {"msg", message}};
}

net::HttpReply reply(int status, const json::value& body) {
    return {.status = status, .body = json::serialize(body)};
}

net::HttpReply detail(int status, const json::value& what) {
    return reply(status, json::object{{"detail", what}});
}

/// A valid body, or the answer to an invalid one.
struct CheckedBody {
    json::object body = {};
    std::optional<net::HttpReply> refusal = std::nullopt;
};

CheckedBody checked(const BackendRequest& request, const std::vector<Field>& fields) {
    json::error_code error;
    const json::value value = json::parse(request.body, error);
    json::array problems;
    if (error || !value.is_object() || request.header("content-type") != "application/json") {
        problems.push_back(problem("", "Input should be a valid JSON object"));
        return {.refusal = detail(422, problems)};
    }
    for (const auto& member : value.get_object()) {
        const auto field = std::ranges::find(fields, std::string_view{member.key()}, &Field::name);
        const std::string fault = field == fields.end() ? "Extra inputs are not permitted"
                                                        : fault_of(*field, member.value());
        if (!fault.empty()) {
            problems.push_back(problem(member.key(), fault));
        }
    }
    for (const Field& field : fields) {
        if (field.is_required && !value.get_object().contains(field.name)) {
            problems.push_back(problem(field.name, "Field required"));
        }
    }
    if (!problems.empty()) {
        return {.refusal = detail(422, problems)};
    }
    return {.body = value.get_object()};
}

std::string text_in(const json::object& body, std::string_view key) {
    const auto* const value = body.if_contains(key);
    return value == nullptr ? std::string{} : std::string{value->get_string()};
}

std::vector<std::string> texts_in(const json::object& body, std::string_view key) {
    std::vector<std::string> texts;
    if (const auto* const list = body.if_contains(key)) {
        for (const json::value& item : list->get_array()) {
            texts.emplace_back(item.get_string());
        }
    }
    return texts;
}

json::object json_of(const StoredTrace& trace) {
    return {{"id", trace.id},
            {"title", trace.title},
            {"context_text", trace.context_text},
            {"solution_text", trace.solution_text},
            {"trust_score", trace.trust_score},
            {"status", trace.status},
            {"tags", json::array(trace.tags.begin(), trace.tags.end())},
            {"contributor_id", "5b6f1f0e-0000-4000-8000-000000000001"},
            {"created_at", "2026-10-01T12:00:00Z"}};
}

bool matches(const StoredTrace& trace, const std::string& query,
             const std::vector<std::string>& tags) {
    const bool has_words = query.empty() || trace.title.find(query) != std::string::npos ||
                           trace.context_text.find(query) != std::string::npos;
    return has_words && std::ranges::all_of(tags, [&trace](const std::string& tag) {
               return std::ranges::find(trace.tags, tag) != trace.tags.end();
           });
}

}  // namespace

net::HttpReply CommonTraceApi::respond(const BackendRequest& request) {
    if (request.header("x-api-key") == "none") {
        return detail(401, "Missing API key");
    }
    const std::size_t blank = request.line.find(' ');
    const std::string method = request.line.substr(0, blank);
    const std::string path = request.line.substr(blank + 1);
    if (method == "POST" && path == "/api/v1/traces/search") {
        return search(request);
    }
    if (method == "POST" && path == kTraces) {
        return contribute(request);
    }
    if (method == "GET" && path == "/api/v1/tags") {
        return tags();
    }
    if (path.starts_with(std::string{kTraces} + "/")) {
        return one_trace(request, std::string_view{path}.substr(kTraces.size() + 1));
    }
    return detail(404, "Not Found");
}

net::HttpReply CommonTraceApi::search(const BackendRequest& request) const {
    const auto [body, refusal] = checked(request, kSearchFields);
    if (refusal) {
        return *refusal;
    }
    const auto* const limit = body.if_contains("limit");
    const std::string query = text_in(body, "q");
    json::array results;
    for (const StoredTrace& trace : traces_) {
        const bool is_full =
            results.size() == (limit == nullptr ? 10U : limit->to_number<std::size_t>());
        if (is_full || !matches(trace, query, texts_in(body, "tags"))) {
            continue;
        }
        json::object result = json_of(trace);
        result["similarity_score"] = trace.similarity_score;
        result["combined_score"] = trace.similarity_score;
        result["related_traces"] = json::array{};
        results.push_back(std::move(result));
    }
    const std::size_t total = results.size();
    return reply(200, {{"results", std::move(results)},
                       {"total", total},
                       {"query", query.empty() ? json::value{} : json::value(query)}});
}

net::HttpReply CommonTraceApi::contribute(const BackendRequest& request) {
    const auto [body, refusal] = checked(request, kTraceFields);
    if (refusal) {
        return *refusal;
    }
    traces_.push_back({.id = std::string{kNewId},
                       .title = text_in(body, "title"),
                       .context_text = text_in(body, "context_text"),
                       .solution_text = text_in(body, "solution_text"),
                       .tags = texts_in(body, "tags"),
                       .status = "pending"});
    return reply(
        202, {{"id", kNewId}, {"status", "pending"}, {"message", "Trace accepted for processing"}});
}

net::HttpReply CommonTraceApi::one_trace(const BackendRequest& request, std::string_view rest) {
    const std::string id{rest.substr(0, rest.find('/'))};
    const std::string_view what = rest.substr(id.size());
    if (!is_uuid(id)) {
        return detail(422, json::array{problem("trace_id", "Input should be a valid UUID")});
    }
    const bool is_vote = what == "/votes";
    CheckedBody checked_body;
    if (!what.empty()) {
        checked_body = checked(request, is_vote ? kVoteFields : kAmendmentFields);
        const json::object& body = checked_body.body;
        if (checked_body.refusal) {
            return *checked_body.refusal;
        }
        if (is_vote && text_in(body, "vote_type") == "down" && !body.contains("feedback_tag")) {
            return detail(422, json::array{problem("", "A downvote requires a feedback_tag")});
        }
    }
    const auto found = std::ranges::find(traces_, id, &StoredTrace::id);
    if (found == traces_.end()) {
        return detail(404, "Trace not found");
    }
    if (what.empty()) {
        return reply(200, json_of(*found));
    }
    if (is_vote) {
        if (std::ranges::find(voted_, id) != voted_.end()) {
            return detail(409, "Already voted on this trace");
        }
        voted_.push_back(id);
        return reply(201, {{"id", kNewId},
                           {"trace_id", id},
                           {"vote_type", text_in(checked_body.body, "vote_type")}});
    }
    return reply(201, {{"id", kNewId}, {"original_trace_id", id}});
}

net::HttpReply CommonTraceApi::tags() const {
    // In the order of the traces, because the gateway has to sort them.
    std::set<std::string> seen;
    json::array names;
    for (const StoredTrace& trace : traces_) {
        for (const std::string& tag : trace.tags) {
            if (seen.insert(tag).second) {
                names.push_back(json::value(tag));
            }
        }
    }
    return reply(200, {{"tags", std::move(names)}});
}

}  // namespace holdfast::test
