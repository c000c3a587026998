// The tables of keys in docs/config.md are made from the schema of the config. A block between
// "<!-- keys PATH -->" and "<!-- /keys -->" has the keys of one object. In PATH, "*" stands for any
// name, "[]" for the items of a list, and "(rest)" for the entry of an HTTP API.
//
// HOLDFAST_UPDATE_GOLDEN=1 rewrites the tables.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/node_json.hpp"
#include "config/quantity.hpp"
#include "runtime/config_schema.hpp"

namespace holdfast::runtime {
namespace {

using config::Member;
using config::Node;
using config::NodeKind;

const std::string kPage = std::string{HOLDFAST_DOCS_FOLDER} + "/config.md";

std::string text_of(const Node& node) {
    return node.kind == NodeKind::text ? node.text : config::json_of(node);
}

/// Follows a reference, and leaves an alternative such as "none" aside.
const Node* object_of(const Node& whole, const Node* schema) {
    if (const Node* const reference = schema->find("$ref");
        reference != nullptr && reference->text == "#/$defs/server") {
        return whole.find("$defs")->find("server")->find("else");
    }
    if (const Node* const reference = schema->find("$ref");
        reference != nullptr && reference->text == "#/properties/circuits") {
        return whole.find("properties")->find("circuits");
    }
    if (const Node* const choices = schema->find("anyOf")) {
        for (const Node& choice : choices->items) {
            const Node* const object = object_of(whole, &choice);
            if (object->find("properties") != nullptr || object->find("items") != nullptr) {
                return object;
            }
        }
    }
    return schema;
}

const Node* at_path(const Node& whole, const std::string& path) {
    const Node* schema = &whole;
    std::istringstream steps{path};
    for (std::string step; steps >> step;) {
        if (step == "(rest)") {
            schema = whole.find("$defs")->find("server")->find("then");
        } else if (step == "*") {
            schema = schema->find("additionalProperties");
        } else if (step == "[]") {
            schema = schema->find("items");
        } else {
            const Node* const properties = schema->find("properties");
            schema = properties == nullptr ? nullptr : properties->find(step);
        }
        if (schema == nullptr) {
            return nullptr;
        }
        schema = object_of(whole, schema);
    }
    return schema;
}

std::string size_at(const Node& schema, std::string_view key) {
    return config::byte_size_text(static_cast<std::size_t>(schema.find(key)->number));
}

void add_referred_type(const Node& schema, const std::string& name,
                       std::vector<std::string>& types) {
    if (name == "size") {
        types.push_back("size " + size_at(schema, "minimum") + "–" + size_at(schema, "maximum"));
    } else if (name == "durationOrZero") {
        types.emplace_back("duration or `0s`");
    } else if (name != "variable") {
        types.push_back(name == "server" || name == "circuits" ? "object" : name);
    }
}

void add_type(const Node& schema, std::vector<std::string>& types) {
    if (const Node* const choices = schema.find("anyOf")) {
        for (const Node& choice : choices->items) {
            add_type(choice, types);
        }
        return;
    }
    if (const Node* const reference = schema.find("$ref")) {
        add_referred_type(schema, reference->text.substr(reference->text.rfind('/') + 1), types);
        return;
    }
    if (const Node* const names = schema.find("enum")) {
        for (const Node& name : names->items) {
            types.push_back("`" + name.text + "`");
        }
        return;
    }
    if (const Node* const name = schema.find("const")) {
        types.push_back("`" + name->text + "`");
        return;
    }
    const Node* const type = schema.find("type");
    std::string text = type == nullptr ? "any JSON" : type->text;
    if (text == "array") {
        text = "list";
    } else if (text == "string") {
        // No other kind of text has a pattern.
        text = schema.find("pattern") == nullptr ? "text" : "duration";
    } else if (text == "boolean") {
        text = "`true`, `false`";
    }
    if (const Node* const minimum = schema.find("minimum")) {
        text += " " + minimum->text + "–" + schema.find("maximum")->text;
    }
    types.push_back(text);
}

std::string type_of(const Node& schema) {
    std::vector<std::string> types;
    add_type(schema, types);
    std::string text;
    std::set<std::string> seen;
    for (const std::string& type : types) {
        if (seen.insert(type).second) {
            text += (text.empty() ? "" : ", ") + type;
        }
    }
    return text;
}

std::string default_of(const Node& schema) {
    const Node* const value = schema.find("default");
    return value == nullptr ? std::string{} : "`" + text_of(*value) + "`";
}

/// The table of an object. Keys that every server has are omitted for an HTTP API.
std::string table_of(const Node& whole, const std::string& path) {
    const Node* const object = at_path(whole, path);
    if (object == nullptr || object->find("properties") == nullptr) {
        ADD_FAILURE() << "the schema has no object at \"" << path << '"';
        return {};
    }
    const Node& common = *whole.find("$defs")->find("server")->find("else")->find("properties");
    std::string table = "| key | type | default | description |\n|---|---|---|---|\n";
    for (const Member& key : object->find("properties")->members) {
        const Node* const same = path == "(rest)" ? common.find(key.key) : nullptr;
        const Node* const description = key.value.find("description");
        if ((same != nullptr && *same == key.value) || description == nullptr ||
            description->text.starts_with("Belongs to another program")) {
            continue;
        }
        table += "| `" + key.key + "` | " + type_of(key.value) + " | " + default_of(key.value) +
                 " | " + description->text + " |\n";
    }
    return table;
}

/// The page with the tables of the schema.
std::string expected_page(const Node& whole, const std::string& page,
                          std::vector<std::string>& paths) {
    constexpr std::string_view kBegin = "<!-- keys ";
    std::istringstream lines{page};
    std::string result;
    bool is_skipping = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("<!-- /keys")) {
            is_skipping = false;
        }
        if (!is_skipping) {
            result += line + "\n";
        }
        if (line.starts_with(kBegin)) {
            const std::string path = line.substr(kBegin.size(), line.find(" -->") - kBegin.size());
            paths.push_back(path);
            result += "\n" + table_of(whole, path) + "\n";
            is_skipping = true;
        }
    }
    return result;
}

/// All objects of the schema that have keys, by their paths.
void add_paths(const Node& whole, const Node* schema, const std::string& path,
               std::set<std::string>& paths) {
    schema = object_of(whole, schema);
    const auto below = [&path](const std::string& step) {
        return path.empty() ? step : path + " " + step;
    };
    if (const Node* const properties = schema->find("properties")) {
        paths.insert(path);
        for (const Member& key : properties->members) {
            add_paths(whole, &key.value, below(key.key), paths);
        }
    }
    if (const Node* const item = schema->find("items")) {
        add_paths(whole, item, below("[]"), paths);
    }
    const Node* const value = schema->find("additionalProperties");
    if (value != nullptr && value->kind == NodeKind::object) {
        add_paths(whole, value, below("*"), paths);
    }
}

TEST(ConfigPageTest, HasTheKeysOfTheSchema) {
    std::ifstream file{kPage};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    const Node whole = config_schema();
    std::vector<std::string> paths;

    const std::string expected = expected_page(whole, page, paths);

    const char* const update = std::getenv("HOLDFAST_UPDATE_GOLDEN");
    if (update != nullptr && std::string_view{update} == "1") {
        std::ofstream{kPage} << expected;
    } else {
        EXPECT_EQ(page, expected) << "run with HOLDFAST_UPDATE_GOLDEN=1 to update docs/config.md";
    }
    std::set<std::string> documented{paths.begin(), paths.end()};
    std::set<std::string> all;
    add_paths(whole, &whole, "", all);
    add_paths(whole, whole.find("$defs")->find("server")->find("then"), "(rest)", all);
    for (const std::string& path : all) {
        // The same objects elsewhere: the servers of VS Code, the entry of an HTTP API.
        const bool is_repeated = path.starts_with("servers") || path.ends_with("circuits *") ||
                                 path.starts_with("(rest) reconnect") ||
                                 path.starts_with("(rest) credentials");
        EXPECT_TRUE(is_repeated || documented.contains(path)) << '"' << path << '"';
    }
}

}  // namespace
}  // namespace holdfast::runtime
