#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/fixture_server/outcome.hpp"
#include "support/fixture_server/tool.hpp"

namespace holdfast::fixture {

/// The tools of the server in list order.
///
/// Thread-safety: none.
class Toolbox final {
public:
    static constexpr std::size_t kPageSize = 100;

    void add_all(std::vector<Tool> tools);
    /// Returns false if the name is empty or taken, or if there are too many tools.
    [[nodiscard]] bool try_add(Tool tool);
    [[nodiscard]] bool remove(std::string_view name);
    /// Returns null if there is none. Valid until the tools change.
    [[nodiscard]] const Tool* find(std::string_view name) const;

    /// Returns one page of the list as the result of `tools/list`. Rejects an unknown cursor.
    [[nodiscard]] Outcome page(std::string_view cursor) const;

private:
    static constexpr std::size_t kMaxTools = 100'000;

    std::vector<Tool> tools_;
    std::map<std::string, std::size_t, std::less<>> index_of_;
};

}  // namespace holdfast::fixture
