#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "holdfast/resilience/expect.hpp"

namespace holdfast::resilience {

enum class Errc {
    invalid_options,   ///< An option has an invalid value; the message names it.
    unknown_name,      ///< A text is not one of the accepted names; the message lists them.
    invalid_snapshot,  ///< A saved state is impossible for this policy; nothing was changed.
    limit_reached,     ///< A bounded container is full and nothing in it may be evicted.
};

/// What went wrong, with a message that may be shown to a user.
struct Error {
    Errc code;
    std::string message;

    friend bool operator==(const Error&, const Error&) = default;
};

/// A value or an error, like C++23's `std::expected`. Reading the side that is not set is a
/// programmer error. An error converts implicitly, so functions return either a `T` or an `E`.
///
/// Thread-safety: that of `T` and `E`.
template <class T, class E = Error>
class [[nodiscard]] Result {
    static_assert(!std::same_as<T, E>, "the two sides must have different types");
    static_assert(std::is_nothrow_move_constructible_v<T> &&
                      std::is_nothrow_move_constructible_v<E>,
                  "an assignment must not leave neither side behind");

public:
    using value_type = T;
    using error_type = E;

    // NOLINTBEGIN(google-explicit-constructor): returning either side is the purpose of the type.
    constexpr Result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)
        : value_(std::move(value)), has_value_(true) {}
    constexpr Result(E error) noexcept(std::is_nothrow_move_constructible_v<E>)
        : error_(std::move(error)), has_value_(false) {}
    // NOLINTEND(google-explicit-constructor)

    constexpr Result(const Result& other)
        requires(std::copy_constructible<T> && std::copy_constructible<E>)
        : has_value_(other.has_value_) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), other.value_);
        } else {
            std::construct_at(std::addressof(error_), other.error_);
        }
    }

    constexpr Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T> &&
                                              std::is_nothrow_move_constructible_v<E>)
        : has_value_(other.has_value_) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), std::move(other.value_));
        } else {
            std::construct_at(std::addressof(error_), std::move(other.error_));
        }
    }

    constexpr Result& operator=(const Result& other)
        requires(std::copy_constructible<T> && std::copy_constructible<E>)
    {
        if (this != &other) {
            *this = Result{other};
        }
        return *this;
    }

    constexpr Result& operator=(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T> &&
                                                         std::is_nothrow_move_constructible_v<E>) {
        if (this != &other) {
            std::destroy_at(this);
            std::construct_at(this, std::move(other));
        }
        return *this;
    }

    constexpr ~Result() {
        if (has_value_) {
            std::destroy_at(std::addressof(value_));
        } else {
            std::destroy_at(std::addressof(error_));
        }
    }

    [[nodiscard]] constexpr bool has_value() const noexcept { return has_value_; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value_; }

    [[nodiscard]] constexpr T& value() & {
        HOLDFAST_EXPECT(has_value_);
        return value_;
    }
    [[nodiscard]] constexpr const T& value() const& {
        HOLDFAST_EXPECT(has_value_);
        return value_;
    }
    [[nodiscard]] constexpr T&& value() && {
        HOLDFAST_EXPECT(has_value_);
        return std::move(value_);
    }

    [[nodiscard]] constexpr T& operator*() & { return value(); }
    [[nodiscard]] constexpr const T& operator*() const& { return value(); }
    [[nodiscard]] constexpr T&& operator*() && { return std::move(*this).value(); }
    [[nodiscard]] constexpr T* operator->() { return std::addressof(value()); }
    [[nodiscard]] constexpr const T* operator->() const { return std::addressof(value()); }

    [[nodiscard]] constexpr E& error() & {
        HOLDFAST_EXPECT(!has_value_);
        return error_;
    }
    [[nodiscard]] constexpr const E& error() const& {
        HOLDFAST_EXPECT(!has_value_);
        return error_;
    }
    [[nodiscard]] constexpr E&& error() && {
        HOLDFAST_EXPECT(!has_value_);
        return std::move(error_);
    }

    template <class U>
    [[nodiscard]] constexpr T value_or(U&& fallback) const& {
        return has_value_ ? value_ : static_cast<T>(std::forward<U>(fallback));
    }

private:
    union {
        T value_;
        E error_;
    };
    bool has_value_;
};

/// Success without a value, or an error.
template <class E>
class [[nodiscard]] Result<void, E> {
public:
    using value_type = void;
    using error_type = E;

    constexpr Result() noexcept = default;
    // NOLINTNEXTLINE(google-explicit-constructor): returning either side is the purpose.
    constexpr Result(E error) noexcept(std::is_nothrow_move_constructible_v<E>)
        : error_(std::in_place, std::move(error)) {}

    [[nodiscard]] constexpr bool has_value() const noexcept { return !error_.has_value(); }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] constexpr const E& error() const& {
        HOLDFAST_EXPECT(error_.has_value());
        return *error_;
    }

private:
    std::optional<E> error_;
};

}  // namespace holdfast::resilience
