#include "jsonrpc/object_edit.hpp"

#include <algorithm>

#include "jsonrpc/json_text.hpp"
#include "jsonrpc/padded_text.hpp"
#include "jsonrpc/thread_reader.hpp"

namespace holdfast::jsonrpc {

ObjectEdit::ObjectEdit(const ObjectView& object) {
    members_.reserve(object.fields().size() + 1);
    for (const Field& field : object.fields()) {
        members_.push_back({field.key, field.key_text, field.value});
    }
}

ObjectEdit& ObjectEdit::set(std::string_view key, std::string_view value) {
    const auto has_key = [key](const Member& member) { return member.key == key; };
    const auto first = std::ranges::find_if(members_, has_key);
    if (first == members_.end()) {
        members_.push_back({.key = key, .key_text = {}, .value = value});
        return *this;
    }
    first->value = value;
    members_.erase(std::remove_if(std::next(first), members_.end(), has_key), members_.end());
    return *this;
}

ObjectEdit& ObjectEdit::remove(std::string_view key) {
    std::erase_if(members_, [key](const Member& member) { return member.key == key; });
    return *this;
}

std::string ObjectEdit::text() const {
    std::string out{"{"};
    for (const Member& member : members_) {
        if (out.size() > 1) {
            out.push_back(',');
        }
        if (member.key_text.empty()) {
            append_quoted(out, member.key);
        } else {
            out.append(member.key_text);
        }
        out.push_back(':');
        out.append(member.value);
    }
    out.push_back('}');
    return out;
}

std::string with_member(std::string_view object, std::string_view key, std::string_view value) {
    const PaddedText text{std::string{object}};
    return ObjectEdit{part_reader().read_object(text, text.view())}.set(key, value).text();
}

}  // namespace holdfast::jsonrpc
