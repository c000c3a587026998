# `cmake --install <build> --component resilience` installs the library for find_package.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/HoldfastResilience")

# holdfast_install_library(<target> <export set>)
function(holdfast_install_library target export_set)
    install(
        TARGETS ${target}
        EXPORT ${export_set}
        COMPONENT resilience
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
    install(
        EXPORT ${export_set}
        COMPONENT resilience
        NAMESPACE holdfast::
        DESTINATION "${package_directory}")
endfunction()

holdfast_install_library(holdfast_resilience HoldfastResilienceTargets)
if(TARGET holdfast_resilience_asio)
    holdfast_install_library(holdfast_resilience_asio HoldfastResilienceAsioTargets)
endif()

configure_package_config_file(
    cmake/HoldfastResilienceConfig.cmake.in
    "${CMAKE_CURRENT_BINARY_DIR}/HoldfastResilienceConfig.cmake"
    INSTALL_DESTINATION "${package_directory}")
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(
    "${CMAKE_CURRENT_BINARY_DIR}/HoldfastResilienceConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(
    FILES "${CMAKE_CURRENT_BINARY_DIR}/HoldfastResilienceConfig.cmake"
          "${CMAKE_CURRENT_BINARY_DIR}/HoldfastResilienceConfigVersion.cmake"
    COMPONENT resilience
    DESTINATION "${package_directory}")
