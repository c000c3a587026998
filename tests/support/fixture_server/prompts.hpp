#pragma once

#include <memory>

#include <boost/asio/awaitable.hpp>

#include "support/fixture_server/call.hpp"
#include "support/fixture_server/outcome.hpp"

namespace holdfast::fixture {

[[nodiscard]] Answer prompt_list();
/// Serves `prompts/get`. One of the prompts asks the client first.
[[nodiscard]] boost::asio::awaitable<Outcome> get_prompt(std::shared_ptr<Call> call);
/// Serves `completion/complete`.
[[nodiscard]] Outcome complete(Call& call);

}  // namespace holdfast::fixture
