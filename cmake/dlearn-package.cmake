# SPDX-License-Identifier: GPL-2.0-only
#
# Installation, and Debian packages of it (cpack -G DEB): the library, what building with it needs,
# and the programs.

install(
  TARGETS dlearn
  EXPORT dlearnTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
)

# Flat headers, and what find_package(dlearn) needs.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dlearn)
include(CMakePackageConfigHelpers)
configure_package_config_file(
  cmake/dlearnConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/dlearnConfig.cmake
  INSTALL_DESTINATION ${package_dir}
)
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/dlearnConfigVersion.cmake
  VERSION ${dlearn_version}
  COMPATIBILITY SameMinorVersion
)
install(FILES ${header_files} ${stub_dir}/ns3/dlearn-module.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3 COMPONENT development
)
install(EXPORT dlearnTargets NAMESPACE dlearn:: DESTINATION ${package_dir} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dlearnConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/dlearnConfigVersion.cmake cmake/dlearn-ns3.cmake
        DESTINATION ${package_dir} COMPONENT development
)

# The programs, but not those that repeat the experiments of papers; campaigns; the dissector.
install(FILES doc/dlearn.lua DESTINATION ${CMAKE_INSTALL_DATADIR}/dlearn COMPONENT programs)
if(DLEARN_EXAMPLES)
  get_property(programs DIRECTORY examples PROPERTY BUILDSYSTEM_TARGETS)
  install(TARGETS ${programs} RUNTIME COMPONENT programs)
  install(PROGRAMS examples/campaign DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME dlearn-campaign
          COMPONENT programs
  )
  install(PROGRAMS examples/dlearn-compare examples/dlearn-passes DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  install(FILES ${page_template} DESTINATION ${CMAKE_INSTALL_DATADIR}/dlearn COMPONENT programs)
  install(DIRECTORY examples/dlearn_campaign examples/campaigns
          DESTINATION ${CMAKE_INSTALL_DATADIR}/dlearn USE_SOURCE_PERMISSIONS COMPONENT programs
          PATTERN __pycache__ EXCLUDE
  )
  install(DIRECTORY python/dlearn_learner DESTINATION lib/python3/dist-packages COMPONENT programs
          PATTERN __pycache__ EXCLUDE
  )
endif()

set(CPACK_PACKAGE_NAME dlearn)
set(CPACK_PACKAGE_VERSION ${dlearn_version})
set(CPACK_PACKAGE_CONTACT "the authors of dlearn")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development programs)
if(TARGET dlearn-torch)
  list(APPEND CPACK_COMPONENTS_ALL torch)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(same_version "libdlearn (= ${dlearn_version})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libdlearn)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Distributed learning over simulated networks of ns-3")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libdlearn-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${same_version}, libns3-dev, libeigen3-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Distributed learning with ns-3, development files")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME dlearn-programs)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "${same_version}")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_RECOMMENDS "python3, parallel")
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION "Distributed learning with ns-3, programs and campaigns")
set(CPACK_DEBIAN_TORCH_PACKAGE_NAME libdlearn-torch)
set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "${same_version}")
set(CPACK_COMPONENT_TORCH_DESCRIPTION "Distributed learning with ns-3, networks in TorchScript files")
include(CPack)
