# `cmake --install`: the placer library with its headers and find_package(pinwise), configs, man page.
# Programs and the agent install themselves where they are defined.

include(CMakePackageConfigHelpers)

set(pinwise_placer_libraries pinwise_topology pinwise_domain pinwise_policy pinwise_memory pinwise_scan pinwise_session
    pinwise_attach pinwise_balance)
install(TARGETS ${pinwise_placer_libraries} EXPORT pinwise ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT pinwise NAMESPACE pinwise:: FILE pinwiseTargets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pinwise)
install(DIRECTORY placer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pinwise FILES_MATCHING PATTERN "*.hpp")

configure_package_config_file(cmake/pinwiseConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pinwiseConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pinwise)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pinwiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pinwiseConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/pinwiseConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pinwise)

install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/pinwise FILES_MATCHING PATTERN "*.toml")
install(FILES docs/pinwise.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
