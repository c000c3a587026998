#include "schema/example.hpp"

#include "schema/advice/repair.hpp"
#include "schema/compile/program.hpp"

namespace holdfast::schema {

Example corrected_example(const Schema& schema, const boost::json::value& sent) {
    Repair repair{schema.program()};
    Example example{.value = repair.repaired(kRootNode, sent)};
    example.is_valid = schema.validate(example.value).is_valid();
    return example;
}

}  // namespace holdfast::schema
