# One way to declare a target: C++20, warnings as errors, includes from the project's root, sanitizers where asked for.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(PINWISE_WARNINGS -Wall -Wextra -Wshadow -Wconversion -Werror)
add_library(pinwise_options INTERFACE)
target_compile_options(pinwise_options INTERFACE ${PINWISE_WARNINGS})
if(PINWISE_SANITIZE)
    target_compile_options(pinwise_options INTERFACE -fsanitize=${PINWISE_SANITIZE} -fno-omit-frame-pointer
                                                     -fno-sanitize-recover=all)
    target_link_options(pinwise_options INTERFACE -fsanitize=${PINWISE_SANITIZE})
    # Sanitized vector code for every instruction set would take a third of the whole build; the others run unsanitized.
    target_compile_definitions(pinwise_options INTERFACE HWY_COMPILE_ONLY_STATIC)
endif()

# pinwise_library(NAME SOURCES ... [PUBLIC libs] [PRIVATE libs]): a static part, also reachable as pinwise::NAME.
function(pinwise_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(pinwise_${name} STATIC ${ARG_SOURCES})
    add_library(pinwise::${name} ALIAS pinwise_${name})
    set_target_properties(pinwise_${name} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(pinwise_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/pinwise>)
    target_compile_features(pinwise_${name} PUBLIC cxx_std_20)
    target_link_libraries(pinwise_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:pinwise_options>)
endfunction()

# GoogleTest is a quarter of what compiling a test costs: compiled once, in the first test program that is declared, and
# used by all that follow. Not with ccache, which does not see through it, and not for clang, whose tree is only
# configured for clang-tidy.
function(pinwise_precompile_test_headers name)
    if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        return()
    endif()
    # A test with other flags (OpenMP) compiles them itself.
    set_target_properties(${name} PROPERTIES PCH_WARN_INVALID OFF)
    get_property(owner GLOBAL PROPERTY pinwise_owner_of_test_headers)
    if(owner)
        target_precompile_headers(${name} REUSE_FROM ${owner})
    else()
        target_precompile_headers(${name} PRIVATE
            <gmock/gmock.h> <gtest/gtest.h> <filesystem> <fstream> <map> <set> <string> <vector>)
        set_property(GLOBAL PROPERTY pinwise_owner_of_test_headers ${name})
    endif()
endfunction()

# pinwise_test(NAME SOURCES ... LIBS ... [LABEL unit|property|e2e] [SEPARATE]): a GoogleTest program, one CTest entry per
# test case. SEPARATE: its sources use the same names for different things, and are not joined (CMAKE_UNITY_BUILD).
function(pinwise_test name)
    cmake_parse_arguments(ARG "SEPARATE" "LABEL" "SOURCES;LIBS" ${ARGN})
    if(NOT ARG_LABEL)
        set(ARG_LABEL unit)
    endif()
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE ${ARG_LIBS} fmt::fmt GTest::gmock_main pinwise_options)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    # Tests are compiled once and run for moments; and GCC 12 warns without reason about strings it optimizes.
    target_compile_options(${name} PRIVATE -O0)
    target_compile_definitions(${name} PRIVATE
        PINWISE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PINWISE_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
    # The agent is not sanitized, and a sanitized workload would refuse to start behind it.
    if(PINWISE_SANITIZE MATCHES address)
        set(environment ENVIRONMENT ASAN_OPTIONS=verify_asan_link_order=0)
    endif()
    if(ARG_SEPARATE)
        set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
    endif()
    pinwise_precompile_test_headers(${name})
    gtest_discover_tests(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 120 ${environment} DISCOVERY_TIMEOUT 60)
endfunction()
