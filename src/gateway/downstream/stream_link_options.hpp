#pragma once

#include <cstddef>

#include "downstream/link_opener.hpp"

namespace holdfast::downstream {

struct StreamLinkOptions {
    LinkOptions link = {};
    std::size_t max_questions = 64;  ///< Unanswered questions of the downstream.
};

}  // namespace holdfast::downstream
