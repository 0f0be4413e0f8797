# SPDX-License-Identifier: GPL-2.0-only
#
# The pages that dlearn writes, for both ways to build: their template, with the chart library
# dygraphs (MIT) in it, is embedded into the library, and is a file for the programs in Python.
# Without dygraphs pages have no charts, but everything else.

# Debian's libjs-dygraphs, or what npm installs; OFF for none.
find_file(
  DLEARN_CHART_LIBRARY dygraph.min.js
  PATHS ${CMAKE_CURRENT_SOURCE_DIR}/node_modules/dygraphs/dist $ENV{HOME}/node_modules/dygraphs/dist
  PATH_SUFFIXES share/javascript/dygraphs lib/node_modules/dygraphs/dist
  DOC "dygraph.min.js of the chart library dygraphs"
)
mark_as_advanced(DLEARN_CHART_LIBRARY)

set(charts "")
set(charts_style "")
set(charts_license "")
if(DLEARN_CHART_LIBRARY)
  get_filename_component(folder "${DLEARN_CHART_LIBRARY}" DIRECTORY)
  foreach(file "${folder}/LICENSE.txt" "${folder}/../LICENSE.txt"
               /usr/share/doc/libjs-dygraphs/copyright
  )
    if(NOT charts_license AND EXISTS "${file}")
      set(charts_license "${file}")
    endif()
  endforeach()
  set(charts_style "${folder}/dygraph.min.css")
  foreach(file "${DLEARN_CHART_LIBRARY}" "${charts_style}")
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "dlearn: DLEARN_CHART_LIBRARY must be the dygraph.min.js of dygraphs, with "
                          "dygraph.min.css beside it; there is no ${file}"
      )
    endif()
  endforeach()
  if(NOT charts_license)
    message(FATAL_ERROR "dlearn: pages must have the licence of the chart library in them, but there "
                        "is no LICENSE.txt beside ${DLEARN_CHART_LIBRARY}, or a folder above"
    )
  endif()
  file(READ "${DLEARN_CHART_LIBRARY}" text)
  if(NOT text MATCHES "Dygraph" OR text MATCHES "</script")
    message(FATAL_ERROR "dlearn: ${DLEARN_CHART_LIBRARY} is not the script of dygraphs")
  endif()
  set(charts "${DLEARN_CHART_LIBRARY}")
  message(STATUS "Charts of reports: ${DLEARN_CHART_LIBRARY}")
else()
  message(STATUS "No dygraphs: reports have tables, but no charts; on Debian: apt-get install "
                 "libjs-dygraphs; elsewhere: npm install dygraphs, or -DDLEARN_CHART_LIBRARY=FILE"
  )
endif()

set(page_dir ${CMAKE_CURRENT_SOURCE_DIR}/helper/report)
file(GLOB page_scripts CONFIGURE_DEPENDS ${page_dir}/dlearn-page-*.js)
list(JOIN page_scripts "|" joined_scripts)
set(page_template ${CMAKE_CURRENT_BINARY_DIR}/dlearn-page.html)
set(page_source ${CMAKE_CURRENT_BINARY_DIR}/dlearn-page-template.cc)
add_custom_command(
  OUTPUT ${page_source} ${page_template}
  COMMAND
    ${CMAKE_COMMAND} -DSOURCE=${page_source} -DTEMPLATE=${page_template}
    -DMARKUP=${page_dir}/dlearn-page.html -DSTYLE=${page_dir}/dlearn-page.css
    -DSCRIPT=${joined_scripts} -DCHARTS=${charts} -DCHARTS_STYLE=${charts_style}
    -DCHARTS_LICENSE=${charts_license} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/dlearn-embed.cmake
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/dlearn-embed.cmake ${page_dir}/dlearn-page.html
          ${page_dir}/dlearn-page.css ${page_scripts} ${charts} ${charts_style} ${charts_license}
  VERBATIM
)
list(APPEND source_files ${page_source})
