#include "policy/degrade.hpp"

namespace holdfast::policy {

std::string_view degrade_text(const DegradeRules& rules, const DegradeCase& failure) {
    const std::string_view class_name =
        failure.error_class != nullptr ? std::string_view{failure.error_class->name} : "";
    for (const std::string_view key : {class_name, text_of(failure.code), kOtherFailure}) {
        const auto found = rules.texts.find(key);
        if (found == rules.texts.end()) {
            continue;
        }
        const DegradeText& texts = found->second;
        const bool is_uncertain = failure.may_have_effect && !texts.uncertain.empty();
        const std::string& write = is_uncertain ? texts.uncertain : texts.write;
        const std::string& text = failure.is_read ? texts.read : write;
        if (!text.empty()) {
            return text;
        }
    }
    return {};
}

}  // namespace holdfast::policy
