#pragma once

#include <boost/asio/any_io_executor.hpp>

#include "holdfast/resilience/timekeeper.hpp"

namespace holdfast::net {

class BufferBudget;

/// The loop that owns an object: its executor and its timekeeper.
struct OwningLoop {
    boost::asio::any_io_executor executor = {};
    resilience::Timekeeper* timekeeper = nullptr;  ///< Outlives the object.
    BufferBudget* buffers = nullptr;               ///< Outlives the object; null = no limit.
};

}  // namespace holdfast::net
