# SPDX-License-Identifier: GPL-2.0-only
#
# Compile several source files of a folder as one: most of the time of a file goes into the headers of
# ns-3, Eigen and the standard library, which they share.

option(DLEARN_UNITY "Compile source files of a folder together: three times as fast from scratch" ON)

# Source files that are compiled together: a change of one compiles all of them.
set(dlearn_unity_size 16)

# Compile a target in a third less time, where its own speed does not matter. GCC 12 then warns of
# copies of what std::optional may not hold.
function(dlearn_optimize_little target)
  target_compile_options(
    ${target} PRIVATE $<$<CONFIG:Release>:-O1>
                      $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>
  )
endfunction()

# Compile the files of a target together, those of each folder in the order in which they are listed.
#
# Names in anonymous namespaces must be unique within a folder. NS_LOG_COMPONENT_DEFINE defines g_log
# in each file, which therefore gets another name in each.
#
# target: its sources are those of this call; ARGN: its source files
function(dlearn_compile_together target)
  if(NOT DLEARN_UNITY OR CMAKE_VERSION VERSION_LESS 3.20)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
    get_filename_component(folder ${path} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR count "0${count_${folder}} + 1")
    set(count_${folder} ${count})
    math(EXPR part "(${count} - 1) / ${dlearn_unity_size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
  set_target_properties(
    ${target}
    PROPERTIES UNITY_BUILD ON
               UNITY_BUILD_MODE GROUP
               UNITY_BUILD_UNIQUE_ID DLEARN_UNITY_ID
               UNITY_BUILD_CODE_BEFORE_INCLUDE
               "#define DLEARN_JOIN_TEXTS(a, b) a##b
#define DLEARN_JOIN(a, b) DLEARN_JOIN_TEXTS(a, b)
#define g_log DLEARN_JOIN(g_log_, DLEARN_UNITY_ID)"
  )
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Of tests, whose classes use what is in anonymous namespaces: GCC takes a file that is included
    # for a header.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
