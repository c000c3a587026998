#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/key_info.hpp"
#include "config/object_reader.hpp"

namespace holdfast::config {

/// A key whose value becomes a part of a `Target`.
template <class Target>
struct Key {
    KeyInfo info;
    void (*read)(ObjectReader& object, std::string_view name, Target& into);
};

template <class Value>
constexpr auto& member_at(Value& value) {
    return value;
}

/// The member at the end of a path of member pointers.
template <auto First, auto... Rest, class Value>
constexpr auto& member_at(Value& value) {
    return member_at<Rest...>(value.*First);
}

template <auto First, auto... Rest>
struct PathOwner {
    template <class Target, class Value>
    static Target of(Value Target::*);
    using Type = decltype(of(First));
};

/// A row of a table: a value of that kind, at the end of a path of member pointers.
template <class Kind, auto... Path>
constexpr auto key(std::string_view name, std::string_view description) {
    using Target = typename PathOwner<Path...>::Type;
    return Key<Target>{.info = {.name = name,
                                .description = description,
                                .schema =
                                    [] {
                                        const Target defaults{};
                                        return Kind::schema(member_at<Path...>(defaults));
                                    }},
                       .read = [](ObjectReader& object, std::string_view key_name, Target& into) {
                           Kind::read(object, key_name, member_at<Path...>(into));
                       }};
}

template <class Keys>
[[nodiscard]] std::vector<KeyInfo> infos_of(const Keys& keys) {
    std::vector<KeyInfo> infos;
    infos.reserve(keys.size());
    for (const auto& one : keys) {
        infos.push_back(one.info);
    }
    return infos;
}

/// Reads every key of the table that the object has.
template <class Keys, class Target>
void read_keys(ObjectReader& object, const Keys& keys, Target& into) {
    for (const auto& one : keys) {
        one.read(object, one.info.name, into);
    }
}

/// The same for an object that has no other keys.
template <class Keys, class Target>
void read_object(ObjectReader& object, const Keys& keys, Target& into) {
    read_keys(object, keys, into);
    object.refuse_unknown(infos_of(keys));
}

}  // namespace holdfast::config
