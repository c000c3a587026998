#include "policy/policy_schemas.hpp"

#include "config/schema_nodes.hpp"
#include "policy/reading/class_reader.hpp"
#include "policy/reading/policy_fields.hpp"
#include "policy/reading/rule_reader.hpp"

namespace holdfast::policy {

config::Node policies_schema() {
    return config::map_schema(policy_schema());
}

config::Node classes_schema() {
    return config::map_schema(config::object_schema(class_keys()));
}

config::Node circuits_schema() {
    return config::map_schema(config::object_schema(circuit_keys()));
}

config::Node rules_schema() {
    return config::list_schema(config::object_schema(rule_keys()));
}

}  // namespace holdfast::policy
