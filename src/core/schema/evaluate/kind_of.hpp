#pragma once

#include <boost/json/kind.hpp>
#include <boost/json/value.hpp>

#include "schema/compile/instruction.hpp"

namespace holdfast::schema {

/// Returns the kind of a value; never kInteger.
[[nodiscard]] inline Kind kind_of(const boost::json::value& value) noexcept {
    switch (value.kind()) {
        case boost::json::kind::null:
            return kNull;
        case boost::json::kind::bool_:
            return kBoolean;
        case boost::json::kind::string:
            return kString;
        case boost::json::kind::array:
            return kArray;
        case boost::json::kind::object:
            return kObject;
        case boost::json::kind::int64:
        case boost::json::kind::uint64:
        case boost::json::kind::double_:
            break;
    }
    return kNumber;
}

}  // namespace holdfast::schema
