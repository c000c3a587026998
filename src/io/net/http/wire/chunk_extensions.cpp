#include "net/http/wire/chunk_extensions.hpp"

#include "base/http_token.hpp"

namespace holdfast::net {
namespace {

bool is_blank(char character) noexcept {
    return character == ' ' || character == '\t';
}

bool is_token(char character) noexcept {
    return base::is_of_class(character, base::HttpClass::token);
}

bool is_text(char character) noexcept {
    return base::is_of_class(character, base::HttpClass::value);
}

}  // namespace

bool ChunkExtensions::take(char character) noexcept {
    state_ = after(character);
    return state_ != State::broken;
}

bool ChunkExtensions::may_end() const noexcept {
    return state_ == State::none || state_ == State::name || state_ == State::token_value ||
           state_ == State::after_quotes;
}

ChunkExtensions::State ChunkExtensions::after(char character) const noexcept {
    const auto next_part = [character](State after_blank) {
        return character == ';' ? State::before_name
                                : (is_blank(character) ? after_blank : State::broken);
    };
    switch (state_) {
        case State::none:
        case State::before_semicolon:
        case State::after_quotes:
            return next_part(State::before_semicolon);
        case State::before_name:
            return is_token(character) ? State::name
                                       : (is_blank(character) ? State::before_name : State::broken);
        case State::name:
            if (is_token(character)) {
                return State::name;
            }
            return character == '=' ? State::before_value : next_part(State::after_name);
        case State::after_name:
            return character == '=' ? State::before_value : next_part(State::after_name);
        case State::before_value:
            if (is_token(character)) {
                return State::token_value;
            }
            if (character == '"') {
                return State::quoted_value;
            }
            return is_blank(character) ? State::before_value : State::broken;
        case State::token_value:
            return is_token(character) ? State::token_value : next_part(State::before_semicolon);
        case State::quoted_value:
            if (character == '"') {
                return State::after_quotes;
            }
            if (character == '\\') {
                return State::quoted_pair;
            }
            return is_text(character) ? State::quoted_value : State::broken;
        case State::quoted_pair:
            return is_text(character) ? State::quoted_value : State::broken;
        case State::broken:
            break;
    }
    return State::broken;
}

}  // namespace holdfast::net
