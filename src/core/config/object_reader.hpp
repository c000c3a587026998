#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault_report.hpp"
#include "config/key_info.hpp"
#include "config/node.hpp"
#include "config/quantity.hpp"
#include "config/range.hpp"

namespace holdfast::config {

template <class Choice>
struct NamedChoice {
    std::string_view name;
    Choice choice;
};

/// Reads the keys of one object into typed variables. An absent key leaves its variable unchanged,
/// and so does an invalid value, which is reported. Text is accepted for a bool or number if it can
/// be parsed as one, because variables supply text. A fault of a value that is one reference names
/// the variable and its value, unless the variable has the name of a secret.
///
/// Thread-safety: none. Report, object and keys must outlive it.
class ObjectReader final {
public:
    /// `object` must be an object.
    ObjectReader(FaultReport& report, const Node& object, std::string path);

    /// The value of a key that the caller reads itself. Null if the key is absent, or if a variable
    /// in it has no value, which has been reported.
    [[nodiscard]] const Node* find(std::string_view key);
    /// The same for a value that must be an object, or a list.
    [[nodiscard]] const Node* find_object(std::string_view key);
    [[nodiscard]] const Node* find_list(std::string_view key);

    void read_bool(std::string_view key, bool& into);
    void read_bool(std::string_view key, std::optional<bool>& into);
    void read_text(std::string_view key, std::string& into);
    void read_texts(std::string_view key, std::vector<std::string>& into);
    void read_duration(std::string_view key, Duration& into, const Range<Duration>& range);
    void read_bytes(std::string_view key, std::size_t& into, const Range<std::size_t>& range);
    void read_count(std::string_view key, std::size_t& into, const Range<std::size_t>& range);
    void read_number(std::string_view key, double& into, const Range<double>& range);
    template <class Choice>
    [[nodiscard]] std::optional<Choice> read_choice(std::string_view key,
                                                    std::span<const NamedChoice<Choice>> choices);

    /// Refuses every key that is not in the table, and names what replaces it, or the nearest key.
    /// The table must have every key that was asked for.
    void refuse_unknown(std::span<const KeyInfo> keys) const;

    /// Reports a value of this object: "path.key: message".
    /// The cause is external if the value has a reference.
    void refuse(const Node& value, std::string_view key, std::string_view message) const;
    void refuse_external(const Node& value, std::string_view key, std::string_view message) const;
    void refuse_kind(const Node& value, std::string_view key, std::string_view expected) const;
    /// Reports values that do not fit together: "path: message".
    /// The cause is external if one of them has a reference, at any depth.
    void refuse_together(std::initializer_list<std::string_view> keys,
                         std::string_view message) const;

    [[nodiscard]] bool is_known(std::string_view key) const;
    [[nodiscard]] std::string path_of(std::string_view key) const { return key_path(path_, key); }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const Node& object() const noexcept { return object_; }
    [[nodiscard]] FaultReport& report() const noexcept { return report_; }

private:
    [[nodiscard]] std::optional<std::size_t> choice_index(std::string_view key,
                                                          std::span<const std::string_view> names);
    /// "must be …, not <the value>", or "the variable X is …; expected …"
    void refuse_value(const Node& value, std::string_view key, std::string_view expected) const;
    /// For a variable that may have been written in milliseconds.
    void warn_if_long(const Node& value, std::string_view key, Duration duration) const;

    FaultReport& report_;
    const Node& object_;
    const std::string path_;
    std::vector<std::string_view> known_;
};

template <class Choice>
std::optional<Choice> ObjectReader::read_choice(std::string_view key,
                                                std::span<const NamedChoice<Choice>> choices) {
    std::vector<std::string_view> names;
    for (const auto& choice : choices) {
        names.push_back(choice.name);
    }
    const auto index = choice_index(key, names);
    return index ? std::optional{choices[*index].choice} : std::nullopt;
}

}  // namespace holdfast::config
