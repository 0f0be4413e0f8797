# SPDX-License-Identifier: GPL-2.0-only
#
# Find an installed ns-3, of any version. Also installed, next to dlearnConfig.cmake.

# Write a copy of the CMake package files of Debian's libns3-dev, without references to files
# that do not exist on this machine: the programs of the package ns3, and the development files
# of GSL, SQLite, libxml2 and Python. libns3-dev depends on none of these and its headers need
# none, but CMake refuses the package, or the link fails, when they are missing.
#
# from: folder of the package files; to: folder for the copy
function(dlearn_repair_ns3_package from to)
  file(GLOB files "${from}/ns3*.cmake")
  foreach(file IN LISTS files)
    get_filename_component(name "${file}" NAME)
    file(READ "${file}" text)
    # The copy must still compute the prefix of the original, and must not check all programs.
    string(REPLACE "\${CMAKE_CURRENT_LIST_FILE}" "${file}" text "${text}")
    string(REGEX REPLACE "list\\(APPEND _cmake_import_check[^)]*\\)" "" text "${text}")
    string(REGEX MATCHALL "\"[^\"]*\"" quoted "${text}")
    string(REGEX MATCHALL "/usr[^;\"]*" paths "${quoted}")
    list(REMOVE_DUPLICATES paths)
    foreach(path IN LISTS paths)
      if(NOT EXISTS "${path}")
        string(REPLACE ";${path};" ";" text "${text}")
        string(REPLACE ";${path}\"" "\"" text "${text}")
      endif()
    endforeach()
    file(WRITE "${to}/${name}" "${text}")
  endforeach()
endfunction()

# find_package(ns3), the Debian package included. A folder named by the user comes first.
macro(dlearn_find_ns3)
  set(debian_ns3 /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/cmake/ns3)
  if(EXISTS ${debian_ns3}/ns3Targets-release.cmake)
    dlearn_repair_ns3_package(${debian_ns3} ${CMAKE_CURRENT_BINARY_DIR}/ns3-package)
  endif()
  find_package(ns3 QUIET HINTS ${CMAKE_CURRENT_BINARY_DIR}/ns3-package)
endmacro()

# Find the imported targets of ns-3 modules: ns3::libX up to 3.42, ns3::X since.
#
# found: variable for the targets; missing: variable for the modules that have none
function(dlearn_find_ns3_modules found missing)
  set(targets)
  set(absent)
  foreach(module IN LISTS ARGN)
    if(TARGET ns3::lib${module})
      list(APPEND targets ns3::lib${module})
    elseif(TARGET ns3::${module})
      list(APPEND targets ns3::${module})
    else()
      list(APPEND absent ${module})
    endif()
  endforeach()
  set(${found} "${targets}" PARENT_SCOPE)
  set(${missing} "${absent}" PARENT_SCOPE)
endfunction()
