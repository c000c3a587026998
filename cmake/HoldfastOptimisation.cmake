# Optimises the release with a recorded profile and across files (ThinLTO). See
# docs/decisions/0034-record-the-profile-when-building.md.

add_library(holdfast_optimisation INTERFACE)

if(HOLDFAST_RECORD_PROFILE)
    target_compile_options(holdfast_optimisation INTERFACE -fprofile-generate
                                                           -fprofile-update=atomic)
    target_link_options(holdfast_optimisation INTERFACE -fprofile-generate)
endif()

if(HOLDFAST_PROFILE AND NOT EXISTS "${HOLDFAST_PROFILE}")
    message(STATUS "No recorded profile: the gateway is about a tenth slower. Run ./dev profile.")
elseif(HOLDFAST_PROFILE)
    # A relative path, so that checkouts share cached objects. Functions that changed after the
    # recording are compiled as without a profile, and the compiler need not warn about them.
    file(RELATIVE_PATH holdfast_profile "${CMAKE_BINARY_DIR}" "${HOLDFAST_PROFILE}")
    target_compile_options(
        holdfast_optimisation INTERFACE "-fprofile-use=${holdfast_profile}" -Wno-backend-plugin
                                        -Wno-profile-instr-unprofiled)
    # A changed profile changes this macro, and so recompiles everything.
    file(SHA256 "${HOLDFAST_PROFILE}" holdfast_profile)
    target_compile_definitions(holdfast_optimisation
                               INTERFACE "HOLDFAST_PROFILE_SUM=${holdfast_profile}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${HOLDFAST_PROFILE}")
    unset(holdfast_profile)
endif()

if(HOLDFAST_LINK_TIME_OPTIMISATION)
    # Objects contain both forms: tests and benchmarks link the machine code.
    target_compile_options(holdfast_optimisation INTERFACE -flto=thin -ffat-lto-objects)
endif()

# holdfast_optimise(<target>...)
#
# For the libraries of the gateway. Targets that link to them do not inherit the flags.
function(holdfast_optimise)
    foreach(target IN LISTS ARGN)
        target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:holdfast_optimisation>")
    endforeach()
endfunction()

# holdfast_optimise_whole(<executable>)
#
# The same for the gateway itself. lld optimises across files and moves rarely executed code out of
# hot functions. Checkouts and builds share the cache of optimised modules.
function(holdfast_optimise_whole target)
    holdfast_optimise(${target})
    if(HOLDFAST_LINK_TIME_OPTIMISATION)
        set(cache "$ENV{XDG_CACHE_HOME}")
        if(NOT cache)
            set(cache "$ENV{HOME}/.cache")
        endif()
        target_link_options(
            ${target}
            PRIVATE
            -fuse-ld=lld-19
            -flto=thin
            -Wl,--fat-lto-objects
            -Wl,--thinlto-jobs=all
            "-Wl,--thinlto-cache-dir=${cache}/holdfast/thinlto"
            -Wl,--thinlto-cache-policy=cache_size_bytes=2g:prune_after=720h
            -Wl,-z,keep-text-section-prefix
            -Wl,-mllvm,-split-machine-functions)
    endif()
endfunction()
