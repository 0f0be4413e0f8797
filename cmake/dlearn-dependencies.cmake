# SPDX-License-Identifier: GPL-2.0-only
#
# The libraries that dlearn needs besides ns-3, for both ways to build. All that are missing are
# collected in dlearn_missing, as Debian package names, so that one message can name them all.

set(dlearn_missing)

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  list(APPEND dlearn_missing libeigen3-dev)
endif()

find_package(Boost 1.74 QUIET) # headers only
if(NOT TARGET Boost::headers)
  list(APPEND dlearn_missing libboost-dev)
endif()

find_package(LibXml2 QUIET)
if(NOT TARGET LibXml2::LibXml2)
  list(APPEND dlearn_missing libxml2-dev)
endif()

find_package(ZLIB QUIET)
if(NOT TARGET ZLIB::ZLIB)
  list(APPEND dlearn_missing zlib1g-dev)
endif()

find_package(Threads REQUIRED)

# Headers only: xxHash (used with XXH_INLINE_ALL) and nlohmann_json.
find_path(DLEARN_XXHASH_INCLUDE_DIR xxhash.h)
if(NOT DLEARN_XXHASH_INCLUDE_DIR)
  list(APPEND dlearn_missing libxxhash-dev)
endif()
find_path(DLEARN_JSON_INCLUDE_DIR nlohmann/json.hpp)
if(NOT DLEARN_JSON_INCLUDE_DIR)
  list(APPEND dlearn_missing nlohmann-json3-dev)
endif()
mark_as_advanced(DLEARN_XXHASH_INCLUDE_DIR DLEARN_JSON_INCLUDE_DIR)

# Optional: OpenBLAS, which picks the instructions of the processor at run time, for the inner
# products of robust aggregation. Without, Eigen multiplies, two to three times slower. Results of
# the two differ by rounding.
option(DLEARN_OPENBLAS "Use OpenBLAS where it is found" ON)
find_library(DLEARN_OPENBLAS_LIBRARY openblas)
# Its own header: the one that all BLAS libraries share does not have all of its functions.
find_path(DLEARN_OPENBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread)
mark_as_advanced(DLEARN_OPENBLAS_INCLUDE_DIR DLEARN_OPENBLAS_LIBRARY)

# Optional: liblbfgs, which looks for the images behind a gradient. Without, that is refused with a
# message that says how to get it.
option(DLEARN_LBFGS "Use liblbfgs where it is found" ON)
find_path(DLEARN_LBFGS_INCLUDE_DIR lbfgs.h)
find_library(DLEARN_LBFGS_LIBRARY lbfgs)
mark_as_advanced(DLEARN_LBFGS_INCLUDE_DIR DLEARN_LBFGS_LIBRARY)

# Optional: ISA-L, which computes the erasure code of broadcasts. Without, that is refused with a
# message that says how to get it.
option(DLEARN_ISAL "Use ISA-L where it is found" ON)
find_path(DLEARN_ISAL_INCLUDE_DIR isa-l/erasure_code.h)
find_library(DLEARN_ISAL_LIBRARY isal)
mark_as_advanced(DLEARN_ISAL_INCLUDE_DIR DLEARN_ISAL_LIBRARY)

# Optional: LibTorch, which computes the networks of TorchTask. Without, that is refused with a
# message that says how to get it.
option(DLEARN_TORCH "Use LibTorch where it is found" ON)
find_path(DLEARN_TORCH_INCLUDE_DIR torch/script.h)
find_library(DLEARN_TORCH_LIBRARY torch)
find_library(DLEARN_TORCH_CPU_LIBRARY torch_cpu)
find_library(DLEARN_C10_LIBRARY c10)
mark_as_advanced(
  DLEARN_TORCH_INCLUDE_DIR DLEARN_TORCH_LIBRARY DLEARN_TORCH_CPU_LIBRARY DLEARN_C10_LIBRARY
)

# Boost.Math computes in double, not in long double. The tables of the latter, made when the library
# is loaded, overflow under valgrind, whose long double is a double.
list(APPEND dlearn_definitions BOOST_MATH_PROMOTE_DOUBLE_POLICY=false)

# Libraries and include directories that only dlearn's own sources need.
set(dlearn_private_libraries Boost::headers LibXml2::LibXml2 ZLIB::ZLIB Threads::Threads)
set(dlearn_private_includes ${Boost_INCLUDE_DIRS} ${LIBXML2_INCLUDE_DIRS}
    ${DLEARN_XXHASH_INCLUDE_DIR} ${DLEARN_JSON_INCLUDE_DIR}
)
list(REMOVE_DUPLICATES dlearn_private_includes)
if(DLEARN_OPENBLAS AND DLEARN_OPENBLAS_INCLUDE_DIR AND DLEARN_OPENBLAS_LIBRARY)
  list(APPEND dlearn_private_includes ${DLEARN_OPENBLAS_INCLUDE_DIR})
  list(REMOVE_DUPLICATES dlearn_private_includes)
  list(APPEND dlearn_private_libraries ${DLEARN_OPENBLAS_LIBRARY})
  list(APPEND dlearn_definitions DLEARN_WITH_OPENBLAS)
endif()
if(DLEARN_LBFGS AND DLEARN_LBFGS_INCLUDE_DIR AND DLEARN_LBFGS_LIBRARY)
  list(APPEND dlearn_private_includes ${DLEARN_LBFGS_INCLUDE_DIR})
  list(REMOVE_DUPLICATES dlearn_private_includes)
  list(APPEND dlearn_private_libraries ${DLEARN_LBFGS_LIBRARY})
  list(APPEND dlearn_definitions DLEARN_WITH_LBFGS)
endif()
if(DLEARN_ISAL AND DLEARN_ISAL_INCLUDE_DIR AND DLEARN_ISAL_LIBRARY)
  list(APPEND dlearn_private_includes ${DLEARN_ISAL_INCLUDE_DIR})
  list(REMOVE_DUPLICATES dlearn_private_includes)
  list(APPEND dlearn_private_libraries ${DLEARN_ISAL_LIBRARY})
  list(APPEND dlearn_definitions DLEARN_WITH_ISAL)
endif()

# What the module mpi of ns-3 needs to be used, and Scotch, which divides a network among its ranks;
# without Scotch a user says who is where.
macro(dlearn_use_mpi)
  find_package(MPI REQUIRED COMPONENTS CXX)
  list(APPEND dlearn_private_includes ${MPI_CXX_INCLUDE_DIRS})
  list(APPEND dlearn_private_libraries ${MPI_CXX_LIBRARIES})
  find_path(DLEARN_SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
  find_library(DLEARN_SCOTCH_LIBRARY scotch)
  find_library(DLEARN_SCOTCHERR_LIBRARY scotcherr)
  mark_as_advanced(DLEARN_SCOTCH_INCLUDE_DIR DLEARN_SCOTCH_LIBRARY DLEARN_SCOTCHERR_LIBRARY)
  if(DLEARN_SCOTCH_INCLUDE_DIR AND DLEARN_SCOTCH_LIBRARY AND DLEARN_SCOTCHERR_LIBRARY)
    list(APPEND dlearn_private_includes ${DLEARN_SCOTCH_INCLUDE_DIR})
    list(APPEND dlearn_private_libraries ${DLEARN_SCOTCH_LIBRARY} ${DLEARN_SCOTCHERR_LIBRARY})
    list(APPEND dlearn_definitions DLEARN_WITH_SCOTCH)
  endif()
endmacro()

set(dlearn_torch_libraries)
if(DLEARN_TORCH AND DLEARN_TORCH_INCLUDE_DIR AND DLEARN_TORCH_LIBRARY AND DLEARN_TORCH_CPU_LIBRARY
   AND DLEARN_C10_LIBRARY
)
  set(dlearn_torch_includes ${DLEARN_TORCH_INCLUDE_DIR}
      ${DLEARN_TORCH_INCLUDE_DIR}/torch/csrc/api/include
  )
  set(dlearn_torch_libraries ${DLEARN_TORCH_LIBRARY} ${DLEARN_TORCH_CPU_LIBRARY}
      ${DLEARN_C10_LIBRARY}
  )
  list(APPEND dlearn_private_libraries ${CMAKE_DL_LIBS})
  list(APPEND dlearn_definitions DLEARN_WITH_TORCH)
else()
  set(torch_test_sources)
  message(STATUS "No LibTorch: left out ${torch_source_files} and their tests")
endif()

# Let a target use LibTorch itself. ARGN: PRIVATE, unless the target links without such words
function(dlearn_use_torch target)
  target_include_directories(${target} SYSTEM PRIVATE ${dlearn_torch_includes})
  target_link_libraries(${target} ${ARGN} ${dlearn_torch_libraries})
  # Some of LibTorch's classes have more members without it; LibTorch itself is built with it.
  target_compile_definitions(${target} PRIVATE NDEBUG)
endfunction()

# Build the library dlearn-torch, if there is LibTorch. The library of dlearn loads it when it is
# used, from its own folder: programs that do not would wait half a second for LibTorch.
#
# dlearn: target of the library of dlearn; ARGN: include directories
function(dlearn_add_torch dlearn)
  if(dlearn_torch_libraries)
    add_library(dlearn-torch MODULE ${torch_source_files})
    target_include_directories(dlearn-torch PRIVATE ${ARGN})
    target_link_libraries(dlearn-torch PRIVATE Eigen3::Eigen)
    dlearn_use_torch(dlearn-torch PRIVATE)
    target_link_options(dlearn-torch PRIVATE LINKER:-z,defs)
    # LibTorch is often unpacked somewhere else than where the system looks for libraries.
    set_target_properties(dlearn-torch PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    add_dependencies(${dlearn} dlearn-torch)
    install(TARGETS dlearn-torch LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT torch)
  endif()
endfunction()

# Stop with one message when anything is missing.
function(dlearn_require_dependencies)
  if(dlearn_missing)
    list(JOIN dlearn_missing " " packages)
    message(FATAL_ERROR "dlearn: missing libraries; on Debian: apt-get install ${packages}")
  endif()
endfunction()
