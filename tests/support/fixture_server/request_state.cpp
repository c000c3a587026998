#include "support/fixture_server/request_state.hpp"

#include <cstdint>

#include <boost/json/serialize.hpp>

#include "mcp/base64.hpp"
#include "support/fixture_server/session.hpp"

namespace holdfast::fixture {
namespace {

std::string seal_of(std::string_view payload) {
    std::uint64_t sum = 14'695'981'039'346'656'037U;
    for (const char byte : payload) {
        sum = (sum ^ static_cast<unsigned char>(byte)) * 1'099'511'628'211U;
    }
    return std::to_string(sum);
}

}  // namespace

std::string sealed_state(const boost::json::object& answers) {
    const std::string payload = mcp::base64_of(boost::json::serialize(answers));
    return payload + "." + seal_of(payload);
}

std::optional<boost::json::object> opened_state(std::string_view state) {
    const std::size_t dot = state.find('.');
    if (dot == std::string_view::npos || state.substr(dot + 1) != seal_of(state.substr(0, dot))) {
        return std::nullopt;
    }
    const auto payload = mcp::bytes_of_base64(state.substr(0, dot));
    return payload ? std::optional{object_of(*payload)} : std::nullopt;
}

}  // namespace holdfast::fixture
