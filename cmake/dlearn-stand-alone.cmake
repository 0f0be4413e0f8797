# SPDX-License-Identifier: GPL-2.0-only
#
# dlearn against an installed ns-3: library, programs, tests, installation.

option(DLEARN_EXAMPLES "Build the programs in examples/" ON)
option(DLEARN_TESTS "Build the tests (needs GoogleTest)" ON)
option(DLEARN_BENCHMARKS "Build the benchmarks" ON)
option(DLEARN_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(DLEARN_FUZZ "Build the fuzz targets (needs clang); test/fuzz.sh does it" OFF)
option(DLEARN_SANITIZE_THREADS "Build with the thread sanitizer" OFF)
option(DLEARN_WERROR "Treat compiler warnings as errors" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# What was compiled before is not compiled again, also in another build folder. ccache needs to know
# where to keep it.
find_program(DLEARN_CCACHE ccache)
mark_as_advanced(DLEARN_CCACHE)
if(DLEARN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND (DEFINED ENV{HOME} OR DEFINED ENV{CCACHE_DIR}))
  set(CMAKE_CXX_COMPILER_LAUNCHER ${DLEARN_CCACHE})
endif()

include(GNUInstallDirs)
include(cmake/dlearn-dependencies.cmake)
include(cmake/dlearn-page.cmake)
include(cmake/dlearn-ns3.cmake)
include(cmake/dlearn-unity.cmake)

dlearn_find_ns3()
if(NOT ns3_FOUND)
  list(APPEND dlearn_missing libns3-dev)
endif()
if(DLEARN_TESTS)
  find_package(GTest QUIET)
  if(NOT TARGET GTest::gtest_main)
    list(APPEND dlearn_missing libgtest-dev)
  endif()
endif()
dlearn_require_dependencies()

dlearn_find_ns3_modules(ns3_targets ns3_missing ${ns3_modules})
if(ns3_missing)
  message(FATAL_ERROR "dlearn: ns-3 ${ns3_VERSION} in ${ns3_DIR} was built without the modules: "
                      "${ns3_missing}"
  )
endif()
foreach(module IN LISTS ns3_optional_modules)
  dlearn_find_ns3_modules(found missing ${module})
  if(found)
    list(APPEND ns3_targets ${found})
    dlearn_use_optional_module(${module})
  else()
    message(STATUS "ns-3 has no module ${module}: left out ${${module}_source_files}")
  endif()
endforeach()
message(STATUS "dlearn ${dlearn_version} with ns-3 ${ns3_VERSION}")

# The standard that this ns-3's headers need; dlearn itself is C++17.
set(CMAKE_CXX_STANDARD 17)
if(ns3_VERSION VERSION_GREATER_EQUAL 3.46)
  set(CMAKE_CXX_STANDARD 23)
elseif(ns3_VERSION VERSION_GREATER_EQUAL 3.41)
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

add_compile_options(-Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # With -O3, g++ 12 unrolls Eigen's sums over vectors whose size it knows to be small and then
  # warns of the iterations that never run.
  add_compile_options(-Wno-array-bounds)
endif()
if(DLEARN_WERROR)
  add_compile_options(-Werror)
endif()
if(DLEARN_SANITIZE)
  # With vptr, a part of "undefined", also callbacks of a wrong signature are found, which ns-3.37
  # takes where newer versions do not compile.
  add_compile_options(
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g
    # GCC 12 warns of <regex> then.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  )
  add_link_options(-fsanitize=address,undefined)
endif()

if(DLEARN_FUZZ)
  add_compile_options(
    -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1
  )
  add_link_options(-fsanitize=address,undefined)
endif()
if(DLEARN_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=thread)
endif()

# ns-3 installs headers flat; stubs in one folder give the same view without a copy.
set(stub_dir ${CMAKE_CURRENT_BINARY_DIR}/include)
set(module_header "")
foreach(header IN LISTS header_files)
  get_filename_component(name ${header} NAME)
  file(CONFIGURE OUTPUT ${stub_dir}/ns3/${name}
       CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n"
  )
  string(APPEND module_header "#include \"${name}\"\n")
endforeach()
file(CONFIGURE OUTPUT ${stub_dir}/ns3/dlearn-module.h CONTENT "#pragma once\n${module_header}")

# What computes and moves vectors takes nearly all of the time of a run; the rest is compiled faster.
set(setup_source_files ${source_files})
list(FILTER setup_source_files EXCLUDE REGEX
     "^model/(aggregator|base|compress|neural|privacy|task|tcp|wire)/")
list(REMOVE_ITEM source_files ${setup_source_files})
add_library(dlearn-setup OBJECT ${setup_source_files})
set_target_properties(dlearn-setup PROPERTIES POSITION_INDEPENDENT_CODE ON)
dlearn_optimize_little(dlearn-setup)

add_library(dlearn SHARED ${source_files} $<TARGET_OBJECTS:dlearn-setup> ${header_files})
add_library(dlearn::dlearn ALIAS dlearn)
target_include_directories(
  dlearn PUBLIC $<BUILD_INTERFACE:${stub_dir}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
)
target_include_directories(dlearn-setup PRIVATE ${stub_dir})
target_link_libraries(dlearn PUBLIC ${ns3_targets} Eigen3::Eigen)
target_link_libraries(dlearn-setup PRIVATE ${ns3_targets} Eigen3::Eigen)
foreach(part dlearn dlearn-setup)
  target_include_directories(${part} SYSTEM PRIVATE ${dlearn_private_includes})
  target_link_libraries(${part} PRIVATE ${dlearn_private_libraries})
  target_compile_definitions(
    ${part} PRIVATE DLEARN_VERSION="${dlearn_version}" DLEARN_NS3_VERSION="${ns3_VERSION}"
                    ${dlearn_definitions}
  )
endforeach()
dlearn_compile_together(dlearn ${source_files})
dlearn_compile_together(dlearn-setup ${setup_source_files})
# Types that are only named in strings (ObjectFactory, attributes) make no symbol reference, and
# compilers that pass --as-needed would drop their libraries, and with them the types.
target_link_options(dlearn PUBLIC LINKER:--no-as-needed)
# Debian's ns-3.37 was compiled with NS3_LOG_ENABLE, which changes the size of public classes,
# but does not export it; newer versions export their definitions.
list(GET ns3_targets 0 ns3_core)
get_target_property(ns3_definitions ${ns3_core} INTERFACE_COMPILE_DEFINITIONS)
if(NOT ns3_definitions)
  target_compile_definitions(dlearn PUBLIC NS3_LOG_ENABLE)
  target_compile_definitions(dlearn-setup PRIVATE NS3_LOG_ENABLE)
endif()
set_target_properties(dlearn PROPERTIES VERSION ${dlearn_version} SOVERSION 0)
dlearn_add_torch(dlearn ${stub_dir})

# What dlearn-audit and tests of the privacy accounts use, and no other program.
add_library(dlearn-auditing STATIC EXCLUDE_FROM_ALL ${audit_source_files})
target_include_directories(dlearn-auditing PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/examples)
target_link_libraries(dlearn-auditing PUBLIC dlearn)
dlearn_compile_together(dlearn-auditing ${audit_source_files})
dlearn_optimize_little(dlearn-auditing)

# A program with the name of its source file; further arguments are more source files, and after
# MODULES the modules of ns-3 that it uses besides those of dlearn, without which it is left out;
# with AUDIT it uses examples/audit.
function(dlearn_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 E "AUDIT" "" "MODULES")
  dlearn_find_ns3_modules(found missing ${E_MODULES})
  if(missing)
    message(STATUS "ns-3 has no module ${missing}: left out ${name}")
    return()
  endif()
  add_executable(${name} ${name}.cc ${E_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE dlearn ${found})
  if(E_AUDIT)
    target_link_libraries(${name} PRIVATE dlearn-auditing)
  endif()
  dlearn_optimize_little(${name})
  set_target_properties(
    ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
                       INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
                       INSTALL_RPATH_USE_LINK_PATH ON
  )
endfunction()

if(DLEARN_EXAMPLES)
  add_subdirectory(examples)
endif()
if(DLEARN_TESTS OR DLEARN_BENCHMARKS OR DLEARN_FUZZ)
  enable_testing()
  add_subdirectory(test)
endif()

include(cmake/dlearn-package.cmake)
