/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_VERSION_H
#define DLEARN_VERSION_H

/**
 * @file
 * Version strings for the results files. Private: not installed.
 *
 * The build defines DLEARN_VERSION and DLEARN_NS3_VERSION. A build that does not still compiles:
 * ns-3 has ns3/version-defines.h only when it was configured with --enable-build-version.
 */

#ifndef DLEARN_VERSION
#define DLEARN_VERSION "unknown" //!< version of dlearn
#endif

#ifndef DLEARN_NS3_VERSION
#if __has_include("ns3/version-defines.h")
#include "ns3/version-defines.h"
#define DLEARN_QUOTE_(x) #x              //!< quote without expanding
#define DLEARN_QUOTE(x) DLEARN_QUOTE_(x) //!< quote after expanding
#define DLEARN_NS3_VERSION                                                                         \
    DLEARN_QUOTE(NS3_VERSION_MAJOR)                                                                \
    "." DLEARN_QUOTE(NS3_VERSION_MINOR) //!< version of ns-3
#else
#define DLEARN_NS3_VERSION "unknown" //!< version of ns-3
#endif
#endif

#endif // DLEARN_VERSION_H
