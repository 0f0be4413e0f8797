/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_POSITION_TABLE_H
#define DLEARN_POSITION_TABLE_H

#include "dlearn-position-trace.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Read a table such as positions.csv of a run, so that a run can move as another one did. Its first
 * line is `time_s,node,x_m,y_m` or `time_s,node,x_m,y_m,z_m`; without z_m
 * learners are on the ground. The times of a node increase.
 *
 * @param path the file, which may be compressed by gzip
 * @return the trace
 * @throw std::runtime_error naming a file that cannot be read
 * @throw std::invalid_argument naming file, line, value and rule
 */
PositionTrace ReadPositionTable(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_POSITION_TABLE_H
