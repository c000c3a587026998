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
    /// For legacy agents, which only accept output schemas of objects; empty = the same as
    /// `modern`.
    std::string legacy = {};
};

/// Renders a tool under its exposed name, always with a description. The item must outlive it.
[[nodiscard]] RenderedItem rendered_tool(const catalogue::Item& item);
/// Renders a prompt in the same way.
[[nodiscard]] RenderedItem rendered_prompt(const catalogue::Item& item);

/// Returns a definition that asks clients to load the tool at once instead of hiding it behind a
/// search of their own. A server's own wish stays.
[[nodiscard]] std::string with_always_load(std::string_view definition);

}  // namespace holdfast::surface
