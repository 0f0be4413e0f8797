/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CURVE_H
#define DLEARN_CURVE_H

#include "dlearn-evaluated-rounds.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A point of a curve, with the band around it.
 */
struct CurvePoint
{
    double x{0};                   //!< abscissa
    double mean{Evaluation::NONE}; //!< ordinate
    double low{Evaluation::NONE};  //!< lower end of the band
    double high{Evaluation::NONE}; //!< upper end of the band
};

/** A curve; its abscissae rise. */
using Curve = std::vector<CurvePoint>;

/** What a curve does between two evaluated rounds. */
enum class CurveShape
{
    STRAIGHT, //!< it goes straight from one to the other
    JUMPS,    //!< it only rises, in jumps, and is as high as at the second one: never too low
};

/** What a curve may be drawn against. */
struct CurveAxis
{
    std::string name;                           //!< one word
    std::string description;                    //!< with the unit
    double (*get)(const EvaluatedRound& round); //!< abscissa of a round
};

/**
 * @ingroup dlearn
 * @return simulated time, rounds, bytes sent, and joules, which are NaN where energy was not
 * measured
 */
const std::vector<CurveAxis>& GetCurveAxes();

/**
 * @ingroup dlearn
 * @param figure name of a metric, epsilon, or epsilon_nominal
 * @return what its curve does between points: what is spent jumps
 */
CurveShape GetCurveShape(const std::string& figure);

/**
 * @ingroup dlearn
 * A figure of a run: one of its metrics, epsilon, or epsilon_nominal.
 *
 * @param rounds of the run
 * @param figure name of it
 * @param axis what to draw it against
 * @return a point for each round with a finite mean, in a band over the learners. Where the
 *         abscissa would fall, which happens when a slow learner drops out of a run without a
 *         common clock, it stays where it is. A figure that jumps never falls.
 */
Curve MakeCurve(const std::vector<EvaluatedRound>& rounds,
                const std::string& figure,
                const CurveAxis& axis);

/**
 * @ingroup dlearn
 * Reduce a curve for drawing: of so many points in a row one is kept, the last of them, and its
 * band takes in all of theirs, so that no extreme is hidden. The first point stays.
 *
 * @param curve any curve
 * @param limit how many points may remain, at least 2
 * @return the reduced curve
 */
Curve ThinCurve(const Curve& curve, size_t limit);

/**
 * @ingroup dlearn
 * Average the curves of runs that differ in their random numbers only.
 *
 * @param curves one for each run
 * @param limit how many points may remain, at least 2
 * @param shape of each of them
 * @param band around their mean
 * @return mean over the runs with the band, from where all have begun to where the first ends, as
 *         a mean over other runs would jump there
 */
Curve MergeCurves(const std::vector<Curve>& curves,
                  size_t limit,
                  CurveShape shape,
                  Band band = Band::RANGE);

} // namespace ns3::dlearn

#endif // DLEARN_CURVE_H
