# SPDX-License-Identifier: GPL-2.0-only
#
# dlearn as contrib/dlearn of an ns-3 source tree.

include(cmake/dlearn-dependencies.cmake)
include(cmake/dlearn-page.cmake)
include(cmake/dlearn-unity.cmake)
dlearn_require_dependencies()

# Set found to whether a module of ns-3 is built: it has a target already, or gets one after dlearn,
# which ns-3 makes from these lists of its own modules and of those in contrib.
function(dlearn_find_ns3_module module found)
  set(${found} FALSE PARENT_SCOPE)
  if(TARGET "${lib${module}}" OR "${module}" IN_LIST libs_to_build
     OR "${module}" IN_LIST contrib_libs_to_build)
    set(${found} TRUE PARENT_SCOPE)
  endif()
endfunction()

foreach(module IN LISTS ns3_optional_modules)
  dlearn_find_ns3_module(${module} found)
  if(found)
    dlearn_use_optional_module(${module})
  endif()
endforeach()

if(ENABLE_TESTS)
  find_package(GTest QUIET)
  if(TARGET GTest::gtest)
    list(APPEND test_sources ${audit_source_files} ${torch_test_sources} test/dlearn-test-suite.cc)
  else()
    message(WARNING "dlearn: tests left out; on Debian: apt-get install libgtest-dev")
    set(test_sources)
  endif()
endif()

# ns-3 compiles a module from an object library that does not see what its libraries export, and
# does not pass third-party include directories on, so programs and tests get them from here.
get_target_property(eigen_includes Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
include_directories(SYSTEM ${eigen_includes} ${dlearn_private_includes})
include_directories(examples) # for examples/audit
list(TRANSFORM audit_source_files PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE audit_paths)
add_compile_definitions(
  DLEARN_VERSION="${dlearn_version}" DLEARN_NS3_VERSION="${NS3_VER}" ${dlearn_definitions}
)

set(ns3_libraries)
foreach(module IN LISTS ns3_modules)
  list(APPEND ns3_libraries ${lib${module}})
endforeach()

# A program with the name of its source file; further arguments are more source files, and after
# MODULES the modules of ns-3 that it uses besides those of dlearn, without which it is left out;
# with AUDIT it uses examples/audit.
function(dlearn_add_example name)
  cmake_parse_arguments(PARSE_ARGV 1 E "AUDIT" "" "MODULES")
  set(libraries)
  if(E_AUDIT)
    list(APPEND E_UNPARSED_ARGUMENTS ${audit_paths})
  endif()
  foreach(module IN LISTS E_MODULES)
    dlearn_find_ns3_module(${module} found)
    if(NOT found)
      message(STATUS "ns-3 has no module ${module}: left out ${name}")
      return()
    endif()
    list(APPEND libraries ${lib${module}})
  endforeach()
  build_lib_example(
    NAME ${name}
    SOURCE_FILES ${name}.cc ${E_UNPARSED_ARGUMENTS}
    LIBRARIES_TO_LINK ${libdlearn} ${ns3_libraries} ${libraries}
    IGNORE_PCH
  )
endfunction()

build_lib(
  LIBNAME dlearn
  SOURCE_FILES ${source_files}
  HEADER_FILES ${header_files}
  LIBRARIES_TO_LINK ${ns3_libraries} ${dlearn_private_libraries}
  TEST_SOURCES ${test_sources}
  IGNORE_PCH
)
dlearn_add_torch(${libdlearn})

# What compiles the files is an object library until ns-3.42, and the library itself since then.
foreach(target libdlearn-obj dlearn)
  if(TARGET ${target})
    dlearn_compile_together(${target} ${source_files})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
      # GCC 12 warns of values of std::optional that are read only where there is one.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endforeach()

# The test library of the module lost its "lib" prefix in ns-3.43.
foreach(target libdlearn-test dlearn-test)
  if(TARGET ${target})
    target_link_libraries(${target} GTest::gtest)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/test)
    dlearn_compile_together(${target} ${test_sources})
    if(torch_test_sources)
      dlearn_use_torch(${target})
    endif()
  endif()
endforeach()
