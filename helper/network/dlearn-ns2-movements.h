/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NS2_MOVEMENTS_H
#define DLEARN_NS2_MOVEMENTS_H

#include "dlearn-position-trace.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Read movements in the format of ns-2, which SUMO and BonnMotion write, too:
 *
 * @code
 *   $node_(0) set X_ 10.0
 *   $node_(0) set Y_ 20.0
 *   $ns_ at 2.5 "$node_(0) setdest 30.0 20.0 1.5"
 *   $ns_ at 9.0 "$node_(0) set X_ 50.0"
 * @endcode
 *
 * Node 0 begins at (10, 20); from 2.5 s on it goes to (30, 20) at 1.5 m/s. A later setdest ends an
 * earlier one, and a speed of 0 stops the node. At 9 s it is put at (50, y), and stands there until
 * the next setdest. A coordinate that is only set later begins with that value; a height Z_ that is
 * never set is 0. The lines of a node may be in any order of time, and may end in a semicolon.
 * Lines of ns-2's `$god_` and comments are skipped, all others refused.
 *
 * @param path the file, which may be compressed by gzip
 * @return the trace
 * @throw std::runtime_error naming a file that cannot be read
 * @throw std::invalid_argument naming file, line, value and rule
 */
PositionTrace ReadNs2Movements(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_NS2_MOVEMENTS_H
