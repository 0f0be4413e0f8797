/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_CURVES_H
#define DLEARN_PAGE_CURVES_H

#include "dlearn-page.h"
#include "dlearn-run-groups.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/** Most points that a page draws of a curve. */
constexpr size_t CURVE_POINTS = 600;

/**
 * @param groups runs to draw in one chart, a colour each
 * @param figure name of a metric, epsilon or epsilon_nominal
 * @param title of the chart
 * @param label of the ordinate
 * @param band around means over the seeds
 * @return a part of type curves: for each axis of GetCurveAxes() that any group has the curves of
 *         all groups, in bands over the seeds if a group has several, else over the learners; and
 *         whether they jump (CurveShape); null when there is nothing to draw, or nothing but zeros
 */
PageJson MakeCurvesPart(const std::vector<RunGroup>& groups,
                        const std::string& figure,
                        const std::string& title,
                        const std::string& label,
                        Band band = Band::RANGE);

/**
 * @param groups runs
 * @param band around means over the seeds
 * @return a section with a chart for each metric
 */
PageJson MakeLearningSection(const std::vector<RunGroup>& groups, Band band = Band::RANGE);

/**
 * @param rounds of a run
 * @return the abscissae of its evaluated rounds by the name of the axis, thinned: to place an event
 *         on any axis that the run has
 */
PageJson MakeClock(const std::vector<EvaluatedRound>& rounds);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_CURVES_H
