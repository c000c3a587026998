# How the release is made fast: by a record of the ways that calls take, and as a whole. See
# docs/decisions/0021-the-release-is-arranged-by-a-profile.md.

add_library(holdfast_optimisation INTERFACE)

if(HOLDFAST_RECORD_PROFILE)
    target_compile_options(holdfast_optimisation INTERFACE -fprofile-generate
                                                           -fprofile-update=atomic)
    target_link_options(holdfast_optimisation INTERFACE -fprofile-generate)
endif()

if(HOLDFAST_PROFILE AND NOT EXISTS "${HOLDFAST_PROFILE}")
    message(WARNING "Without ${HOLDFAST_PROFILE} the gateway is slower; ./dev profile makes it.")
elseif(HOLDFAST_PROFILE)
    # Relative, so that checkouts share cached objects. Of functions that have changed since, the
    # compiler knows as much as without a record, and need not say so.
    file(RELATIVE_PATH holdfast_profile "${CMAKE_BINARY_DIR}" "${HOLDFAST_PROFILE}")
    target_compile_options(
        holdfast_optimisation INTERFACE "-fprofile-use=${holdfast_profile}" -Wno-backend-plugin
                                        -Wno-profile-instr-unprofiled)
    # The sum is there to compile anew when the record changes.
    file(SHA256 "${HOLDFAST_PROFILE}" holdfast_profile)
    target_compile_definitions(holdfast_optimisation
                               INTERFACE "HOLDFAST_PROFILE_SUM=${holdfast_profile}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${HOLDFAST_PROFILE}")
    unset(holdfast_profile)
endif()

if(HOLDFAST_LINK_TIME_OPTIMISATION)
    # Objects have both forms: tests and benchmarks take the machine code that is there already.
    target_compile_options(holdfast_optimisation INTERFACE -flto=thin -ffat-lto-objects)
endif()

# holdfast_optimise(<target>...)
#
# For the libraries that the gateway consists of. Nobody who links to them gets the flags.
function(holdfast_optimise)
    foreach(target IN LISTS ARGN)
        target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:holdfast_optimisation>")
    endforeach()
endfunction()

# holdfast_optimise_whole(<executable>)
#
# The same for the gateway itself, which is optimised across files when it is linked. What runs
# often lies together then, and what seldom runs is moved out of the functions that do.
function(holdfast_optimise_whole target)
    holdfast_optimise(${target})
    if(HOLDFAST_LINK_TIME_OPTIMISATION)
        target_link_options(
            ${target} PRIVATE -fuse-ld=lld-19 -flto=thin -Wl,--fat-lto-objects
            "-Wl,--thinlto-cache-dir=${CMAKE_BINARY_DIR}/thinlto" -Wl,-z,keep-text-section-prefix
            -Wl,-mllvm,-split-machine-functions)
    endif()
endfunction()
