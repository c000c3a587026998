#pragma once

#include <string>
#include <string_view>

#include "catalogue/catalogue.hpp"
#include "surface/callable.hpp"

namespace holdfast::surface {

/// An item of the catalogue as agents see it.
struct RenderedItem {
    Callable callable = {};
    std::string modern = {};
    /// For legacy agents; empty = the same. They cannot take an output schema that is no object.
    std::string legacy = {};
};

/// A tool under its exposed name, with a description in any case. The item must outlive it.
[[nodiscard]] RenderedItem rendered_tool(const catalogue::Item& item);
/// The same for a prompt.
[[nodiscard]] RenderedItem rendered_prompt(const catalogue::Item& item);

}  // namespace holdfast::surface
