#include "config/reading/text_list.hpp"

#include <cstddef>

namespace holdfast::config {

void read_checked_texts(ObjectReader& owner, std::string_view key, std::vector<std::string>& into,
                        TextCheck check) {
    owner.read_texts(key, into);
    const Node* list = owner.object().find(key);
    if (list == nullptr) {
        return;
    }
    for (std::size_t index = 0; index < list->items.size(); ++index) {
        const Node& item = list->items[index];
        const bool is_checked = item.kind == NodeKind::text && !item.is_unresolved;
        const std::string_view fault = is_checked ? check(item.text) : std::string_view{};
        if (!fault.empty()) {
            owner.report().refuse(
                item.place,
                owner.path_of(key) + '[' + std::to_string(index) + "]: " + std::string{fault},
                has_reference(item) ? FaultCause::external : FaultCause::file);
        }
    }
}

}  // namespace holdfast::config
