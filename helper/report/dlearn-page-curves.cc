/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-curves.h"

#include "dlearn-curve.h"
#include "dlearn-rounds-csv.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** @return whether bands are over seeds, and not over learners */
bool
HaveSeeds(const std::vector<RunGroup>& groups)
{
    return std::any_of(groups.begin(), groups.end(), [](const RunGroup& group) {
        return group.members.size() > 1;
    });
}

/** @return the curve of a group */
Curve
DrawGroup(const RunGroup& group,
          const std::string& figure,
          const CurveAxis& axis,
          bool overSeeds,
          Band band)
{
    std::vector<Curve> curves;
    for (const auto& member : group.members)
    {
        // A run that was cut short would cut the band short, too.
        if (overSeeds && !member.IsComplete() && CountComplete(group) > 0)
        {
            continue;
        }
        curves.push_back(MakeCurve(member.rounds, figure, axis));
    }
    return overSeeds ? MergeCurves(curves, CURVE_POINTS / 2, GetCurveShape(figure), band)
                     : ThinCurve(curves.front(), CURVE_POINTS);
}

/** @return abscissae, means, lower and upper ends; without the ends when there is no band */
PageJson
MakeCurveJson(const Curve& curve)
{
    PageJson x = PageJson::array();
    PageJson mean = PageJson::array();
    PageJson low = PageJson::array();
    PageJson high = PageJson::array();
    for (const CurvePoint& point : curve)
    {
        x.push_back(MakePlotNumber(point.x));
        mean.push_back(MakePlotNumber(point.mean));
        low.push_back(MakePlotNumber(point.low));
        high.push_back(MakePlotNumber(point.high));
    }
    return low == high ? PageJson::array({x, mean}) : PageJson::array({x, mean, low, high});
}

/** @return whether groups know where their rounds are on an axis: energy is not always measured */
bool
HaveAxis(const std::vector<RunGroup>& groups, const CurveAxis& axis)
{
    return axis.name != "joules" || std::any_of(groups.begin(), groups.end(), HasEnergy);
}

/** @return whether a figure of an evaluated round is infinite */
bool
HaveInfinite(const std::vector<RunGroup>& groups)
{
    const auto infinite = [](const EvaluatedRound& round) {
        return std::any_of(round.metrics.begin(), round.metrics.end(), [](const auto& metric) {
            return std::isinf(metric.second.high);
        });
    };
    return std::any_of(groups.begin(), groups.end(), [&infinite](const RunGroup& group) {
        return std::any_of(group.members.begin(), group.members.end(), [&](const auto& member) {
            return std::any_of(member.rounds.begin(), member.rounds.end(), infinite);
        });
    });
}

/** @return whether there is a point that is not 0 */
bool
IsWorthDrawing(const Curve& curve)
{
    return std::any_of(curve.begin(), curve.end(), [](const CurvePoint& point) {
        return point.mean != 0 || point.high != 0;
    });
}

} // namespace

PageJson
MakeCurvesPart(const std::vector<RunGroup>& groups,
               const std::string& figure,
               const std::string& title,
               const std::string& label,
               Band band)
{
    const bool overSeeds = HaveSeeds(groups);
    PageJson part{{"type", "curves"},
                  {"title", title},
                  {"label", label},
                  {"jumps", GetCurveShape(figure) == CurveShape::JUMPS},
                  {"names", PageJson::array()},
                  {"axes", PageJson::object()}};
    bool worth = false;
    for (const CurveAxis& axis : GetCurveAxes())
    {
        if (!HaveAxis(groups, axis))
        {
            continue;
        }
        PageJson curves = PageJson::array();
        for (const RunGroup& group : groups)
        {
            const Curve curve = DrawGroup(group, figure, axis, overSeeds, band);
            worth = worth || IsWorthDrawing(curve);
            curves.push_back(MakeCurveJson(curve));
        }
        part["axes"][axis.name] = {{"label", axis.description}, {"curves", curves}};
    }
    for (const RunGroup& group : groups)
    {
        part["names"].push_back(group.name);
    }
    return worth ? part : PageJson();
}

PageJson
MakeLearningSection(const std::vector<RunGroup>& groups, Band band)
{
    const bool overSeeds = HaveSeeds(groups);
    size_t longest = 0;
    for (const RunGroup& group : groups)
    {
        for (const auto& member : group.members)
        {
            longest = std::max(longest, member.rounds.size());
        }
    }
    std::string note =
        overSeeds
            ? "A curve is the mean over the runs with different seeds, from where all have begun "
              "to where the first ends, in a band " +
                  std::string(band == Band::RANGE       ? "from the lowest to the highest"
                              : band == Band::DEVIATION ? "of the standard deviation to either side"
                                                        : "that is the 95 % interval of the mean") +
                  "; it is of complete runs, if there is one."
            : "A point is an evaluated round at the time when the last learner had closed it: "
              "the mean over the learners that closed it, in a band from the lowest to the "
              "highest learner.";
    const size_t limit = overSeeds ? CURVE_POINTS / 2 : CURVE_POINTS;
    if (longest > limit)
    {
        note += " Of " + std::to_string(longest) + " evaluated rounds at most " +
                std::to_string(limit) + " points are drawn" +
                (overSeeds ? "." : "; each band takes in the rounds left out.");
    }
    if (HaveInfinite(groups))
    {
        note += " Infinite values are not drawn; the tables have them.";
    }
    PageJson section = MakePageSection("Learning", note);
    for (const char* name : {"accuracy", "loss", "error", "consensus", "regret"})
    {
        const auto& metrics = GetMetrics();
        const auto metric = std::find_if(metrics.begin(), metrics.end(), [name](const auto& m) {
            return m.name == name;
        });
        std::string title = metric->name;
        title[0] = static_cast<char>(std::toupper(title[0]));
        AddPart(section, MakeCurvesPart(groups, metric->name, title, metric->description, band));
    }
    if (section["parts"].empty())
    {
        section["note"] = "No round was evaluated.";
    }
    return section;
}

PageJson
MakeClock(const std::vector<EvaluatedRound>& rounds)
{
    PageJson clock = PageJson::object();
    const size_t every = rounds.size() / CURVE_POINTS + 1;
    for (const CurveAxis& axis : GetCurveAxes())
    {
        if (rounds.empty() || std::isfinite(axis.get(rounds.back())))
        {
            PageJson x = PageJson::array();
            for (size_t k = 0; k < rounds.size(); k += every)
            {
                x.push_back(MakePlotNumber(axis.get(rounds[k])));
            }
            clock[axis.name] = x;
        }
    }
    return clock;
}

} // namespace ns3::dlearn
