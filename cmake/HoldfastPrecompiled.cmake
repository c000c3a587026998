# The headers of the standard library, Boost.JSON and Asio take most of the time of a compilation. Each
# is parsed once here, and all targets share the result.

# Targets can share a precompiled header only if they define the same macros, so every target gets
# those that Boost.JSON needs.
add_library(holdfast_boost_macros INTERFACE)
target_compile_definitions(
    holdfast_boost_macros INTERFACE BOOST_CONTAINER_DYN_LINK BOOST_CONTAINER_NO_LIB
                                    BOOST_JSON_DYN_LINK BOOST_JSON_NO_LIB)

set(holdfast_std_headers
    <algorithm>
    <array>
    <atomic>
    <charconv>
    <chrono>
    <cstddef>
    <cstdint>
    <deque>
    <functional>
    <map>
    <memory>
    <optional>
    <set>
    <span>
    <string>
    <string_view>
    <tuple>
    <unordered_map>
    <utility>
    <variant>
    <vector>
    <boost/json/value.hpp>)
set(holdfast_asio_headers
    ${holdfast_std_headers}
    <boost/asio/any_io_executor.hpp>
    <boost/asio/as_tuple.hpp>
    <boost/asio/awaitable.hpp>
    <boost/asio/bind_cancellation_slot.hpp>
    <boost/asio/co_spawn.hpp>
    <boost/asio/io_context.hpp>
    <boost/asio/ip/tcp.hpp>
    <boost/asio/posix/stream_descriptor.hpp>
    <boost/asio/post.hpp>
    <boost/asio/steady_timer.hpp>
    <boost/asio/this_coro.hpp>
    <boost/asio/use_awaitable.hpp>
    <boost/asio/write.hpp>)

# holdfast_use_precompiled(<target> std|asio|test)
#
# std   for modules that include the standard library and Boost.JSON
# asio  for modules that also include Asio
# test  for tests: like asio, with GoogleTest
function(holdfast_use_precompiled target kind)
    if(NOT HOLDFAST_BUILD_GATEWAY)
        return() # the library alone needs no Boost.JSON and compiles fast enough
    endif()
    set(header "holdfast_${kind}_header")
    if(NOT TARGET ${header})
        holdfast_add_precompiled(${header} ${kind})
    endif()
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:holdfast_boost_macros>")
    target_precompile_headers(${target} REUSE_FROM ${header})
endfunction()

function(holdfast_add_precompiled header kind)
    set(source "${PROJECT_BINARY_DIR}/${header}.cpp")
    if(NOT EXISTS "${source}")
        file(WRITE "${source}" "// Compiles a precompiled header.\n")
    endif()
    add_library(${header} OBJECT "${source}")
    target_link_libraries(${header} PRIVATE holdfast_boost_macros)
    holdfast_use_warnings(${header})
    if(kind STREQUAL "test")
        find_package(GTest REQUIRED GLOBAL)
        target_link_libraries(${header} PRIVATE GTest::gtest)
        target_precompile_headers(${header} PRIVATE <gtest/gtest.h> ${holdfast_asio_headers})
    else()
        holdfast_optimise(${header})
        target_precompile_headers(${header} PRIVATE ${holdfast_${kind}_headers})
    endif()
endfunction()
