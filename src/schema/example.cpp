#include "schema/example.hpp"

#include "schema/detail/program.hpp"
#include "schema/detail/repair.hpp"

namespace holdfast::schema {

Example corrected_example(const Schema& schema, const boost::json::value& sent) {
    detail::Repair repair{schema.program()};
    Example example{.value = repair.repaired(detail::kRootNode, sent)};
    example.is_valid = schema.validate(example.value).is_valid();
    return example;
}

}  // namespace holdfast::schema
