#include "agents/agent.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace holdfast::agents {
namespace {

namespace json = boost::json;

json::value parsed(std::string_view text) {
    json::error_code error;
    json::value value = json::parse({text.data(), text.size()}, error);
    return error ? json::value{} : value;
}

const json::object* member_object(const json::value& value, std::string_view key) {
    const json::object* object = value.if_object();
    const json::value* member = object != nullptr ? object->if_contains(key) : nullptr;
    return member != nullptr ? member->if_object() : nullptr;
}

bool is_url_mode(std::string_view params) {
    const json::value value = parsed(params);
    const json::object* object = value.if_object();
    const json::value* mode = object != nullptr ? object->if_contains("mode") : nullptr;
    return mode != nullptr && mode->is_string() && mode->get_string() == "url";
}

}  // namespace

Abilities abilities_of(std::string_view capabilities) {
    const json::value value = parsed(capabilities);
    Abilities abilities;
    if (const json::object* elicitation = member_object(value, "elicitation")) {
        abilities.urls = elicitation->contains("url");
        abilities.forms = elicitation->contains("form") || !abilities.urls;
    }
    if (const json::object* sampling = member_object(value, "sampling")) {
        abilities.sampling = true;
        abilities.sampling_tools = sampling->contains("tools");
    }
    abilities.roots = member_object(value, "roots") != nullptr;
    return abilities;
}

bool Abilities::allow(std::string_view method, std::string_view params) const {
    if (method == "elicitation/create") {
        return is_url_mode(params) ? urls : forms;
    }
    if (method == "sampling/createMessage") {
        return sampling;
    }
    return method == "roots/list" && roots;
}

}  // namespace holdfast::agents
