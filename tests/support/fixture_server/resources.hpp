#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>

#include "support/fixture_server/call.hpp"
#include "support/fixture_server/outcome.hpp"

namespace holdfast::fixture {

[[nodiscard]] Answer resource_list();
[[nodiscard]] Answer resource_template_list();
/// Serves `resources/read`. One of the resources asks the client first.
[[nodiscard]] boost::asio::awaitable<Outcome> read_resource(std::shared_ptr<Call> call);

}  // namespace holdfast::fixture
