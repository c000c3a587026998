#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/fault_report.hpp"
#include "config/node.hpp"
#include "config/secret_list.hpp"

namespace holdfast::config {

/// The value of a variable; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view)>;

struct InterpolationLimits {
    /// All texts with variables together, after their values are filled in.
    std::size_t max_expanded_bytes = std::size_t{16} * 1024 * 1024;
};

/// A variable that supplied a value as the default of another one, which is not set:
/// `${first:-${used}}`.
struct SecondChoice {
    std::string used = {};
    std::string first = {};

    friend bool operator==(const SecondChoice&, const SecondChoice&) = default;
};

/// Fills in variables: `${NAME}`, `${env:NAME}`, `${NAME:-default}`; `$${` stands for the
/// characters `${`. A default may have references again, three deep at most; it is evaluated only
/// if it is needed. A variable that is set but empty counts as unset where it has a default; where
/// the reference is the whole text, so does one that has only blanks. A value is filled in as it
/// is: references in it are not followed. Adds the values of variables with a secret's name to the
/// list of secrets.
///
/// Thread-safety: none. The report and the list must outlive it.
class Interpolator final {
public:
    Interpolator(Environment environment, FaultReport& report, SecretList& secrets,
                 const InterpolationLimits& limits = {});

    /// Fills in every text of a value, to any depth. Keys stay as they are. `path` names the value
    /// in messages.
    void expand(Node& value, const std::string& path);

    /// Every second choice that was used, each pair once, in the order of the file.
    [[nodiscard]] const std::vector<SecondChoice>& second_choices() const noexcept {
        return second_choices_;
    }

private:
    /// Where a text stands, for messages.
    struct Site {
        Place place;
        const std::string& path;
    };
    /// What a text stands for.
    struct Expansion {
        std::string text = {};
        /// The variable whose value this is; empty when the text is put together.
        std::string variable = {};
        bool is_secret = false;
        bool is_unresolved = false;
    };

    void expand_text(Node& text, const std::string& path);
    /// `depth` counts the references around the text.
    [[nodiscard]] Expansion expanded(std::string_view text, const Site& site, std::size_t depth);
    /// The value of what stands between the braces. `is_whole`: the text has nothing else.
    [[nodiscard]] Expansion resolved(std::string_view reference, const Site& site,
                                     std::size_t depth, bool is_whole);
    [[nodiscard]] Expansion refused(const Site& site, std::string_view message);
    void note_second_choice(std::string_view used, std::string_view first);

    Environment environment_;
    FaultReport& report_;
    SecretList& secrets_;
    std::size_t bytes_left_;
    std::vector<SecondChoice> second_choices_;
};

}  // namespace holdfast::config
