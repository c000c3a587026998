#pragma once

#include <boost/asio/any_io_executor.hpp>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::net {

/// The loop that owns an object: where its work runs, and the loop's time.
struct OwningLoop {
    boost::asio::any_io_executor executor = {};
    resilience::Timekeeper* timekeeper = nullptr;  ///< Outlives the object.
};

}  // namespace holdfast::net
