/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINE_THINNING_H
#define DLEARN_LINE_THINNING_H

#include <cstddef>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A point of a drawn line, in pixels, or a gap in it.
 */
struct LinePoint
{
    double x;        //!< to the right
    double y;        //!< downwards
    bool gap{false}; //!< nothing to show here; x and y do not count
};

/**
 * @ingroup dlearn
 * Drop the points of a line that are not visible: first those that are within a fifth of a
 * pixel of the line without them (Douglas and Peucker, "Algorithms for the reduction of the
 * number of points required to represent a digitized line or its caricature", 1973), then,
 * until a budget is met, within twice that, and so on. Spikes stay.
 *
 * @param line the line, with gaps
 * @param budget number of points to keep at most; the ends of each piece between gaps are
 *        kept whatever it is
 * @return the points kept, in order; gaps in a row become one
 */
std::vector<LinePoint> ThinLine(const std::vector<LinePoint>& line, size_t budget);

} // namespace ns3::dlearn

#endif // DLEARN_LINE_THINNING_H
