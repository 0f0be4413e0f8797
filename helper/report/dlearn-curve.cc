/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-curve.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3::dlearn
{

namespace
{

/** What is spent, over all learners: it jumps whenever a message leaves one of them. */
const std::map<std::string, double EvaluatedRound::*> SPENT{
    {"epsilon", &EvaluatedRound::epsilon},
    {"epsilon_nominal", &EvaluatedRound::epsilonNominal}};

/** @return a figure of a round over its learners; that of nothing when it does not apply */
CurvePoint
GetFigure(const EvaluatedRound& round, const std::string& figure)
{
    if (const auto spent = SPENT.find(figure); spent != SPENT.end())
    {
        const double epsilon = round.*(spent->second);
        return {0, epsilon, epsilon, epsilon};
    }
    const auto found = round.metrics.find(figure);
    if (found == round.metrics.end())
    {
        return {};
    }
    const MetricSpread& spread = found->second;
    return {0, spread.GetMean(), spread.low, spread.high};
}

/** @return ordinate of a curve at @p x, from its first point to its last */
double
Interpolate(const Curve& curve, double x, CurveShape shape)
{
    const auto next =
        std::lower_bound(curve.begin(), curve.end(), x, [](const CurvePoint& a, double b) {
            return a.x < b;
        });
    if (next->x == x || shape == CurveShape::JUMPS)
    {
        return next->mean;
    }
    const CurvePoint& a = *(next - 1);
    const CurvePoint& b = *next;
    return a.mean + (b.mean - a.mean) * (x - a.x) / (b.x - a.x);
}

/** @return the abscissae of all curves from where all have begun to where the first ends, at most
 *          @p limit of them */
std::vector<double>
FindAbscissae(const std::vector<Curve>& curves, size_t limit)
{
    double begin = -INFINITY;
    double end = INFINITY;
    std::vector<double> all;
    for (const Curve& curve : curves)
    {
        begin = std::max(begin, curve.front().x);
        end = std::min(end, curve.back().x);
        for (const CurvePoint& point : curve)
        {
            all.push_back(point.x);
        }
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.erase(std::upper_bound(all.begin(), all.end(), end), all.end());
    all.erase(all.begin(), std::lower_bound(all.begin(), all.end(), begin));
    if (all.size() <= limit)
    {
        return all;
    }
    std::vector<double> some;
    for (size_t k = 0; k < limit; ++k)
    {
        some.push_back(all[k * (all.size() - 1) / (limit - 1)]);
    }
    return some;
}

} // namespace

const std::vector<CurveAxis>&
GetCurveAxes()
{
    static const std::vector<CurveAxis> axes{
        {"time",
         "simulated time (s)",
         [](const EvaluatedRound& round) { return round.time.GetSeconds(); }},
        {"rounds", "round", [](const EvaluatedRound& round) { return double(round.round); }},
        {"bytes",
         "sent by all learners (bytes)",
         [](const EvaluatedRound& round) { return static_cast<double>(round.txBytes); }},
        {"joules", "spent by all learners (joules)", [](const EvaluatedRound& round) {
             return round.energy;
         }}};
    return axes;
}

CurveShape
GetCurveShape(const std::string& figure)
{
    return SPENT.count(figure) > 0 ? CurveShape::JUMPS : CurveShape::STRAIGHT;
}

Curve
MakeCurve(const std::vector<EvaluatedRound>& rounds,
          const std::string& figure,
          const CurveAxis& axis)
{
    Curve curve;
    for (const EvaluatedRound& round : rounds)
    {
        CurvePoint point = GetFigure(round, figure);
        if (!std::isfinite(point.mean))
        {
            continue;
        }
        point.x = axis.get(round);
        if (std::isnan(point.x))
        {
            continue;
        }
        if (!curve.empty() && GetCurveShape(figure) == CurveShape::JUMPS)
        {
            point.mean = std::max(point.mean, curve.back().mean);
            point.low = std::max(point.low, curve.back().low);
            point.high = std::max(point.high, curve.back().high);
        }
        if (!curve.empty() && point.x <= curve.back().x)
        {
            point.x = curve.back().x;
            curve.pop_back();
        }
        curve.push_back(point);
    }
    return curve;
}

Curve
ThinCurve(const Curve& curve, size_t limit)
{
    if (curve.size() <= limit)
    {
        return curve;
    }
    const size_t size = (curve.size() - 2) / (limit - 1) + 1;
    Curve thin{curve.front()};
    for (size_t begin = 1; begin < curve.size(); begin += size)
    {
        const size_t end = std::min(begin + size, curve.size());
        CurvePoint point = curve[end - 1];
        for (size_t k = begin; k < end; ++k)
        {
            point.low = std::fmin(point.low, curve[k].low);
            point.high = std::fmax(point.high, curve[k].high);
        }
        thin.push_back(point);
    }
    return thin;
}

Curve
MergeCurves(const std::vector<Curve>& curves, size_t limit, CurveShape shape, Band band)
{
    std::vector<Curve> known;
    std::copy_if(curves.begin(), curves.end(), std::back_inserter(known), [](const Curve& curve) {
        return !curve.empty();
    });
    Curve merged;
    for (const double x : FindAbscissae(known, limit))
    {
        MetricSpread spread;
        for (const Curve& curve : known)
        {
            spread.Add(Interpolate(curve, x, shape));
        }
        const auto [low, high] = spread.GetBand(spread.count > 1 ? band : Band::RANGE);
        merged.push_back({x, spread.GetMean(), low, high});
    }
    return merged;
}

} // namespace ns3::dlearn
