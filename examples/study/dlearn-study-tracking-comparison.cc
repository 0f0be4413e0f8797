/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-tracking.h"

#include <iostream>

namespace ns3::dlearn
{

namespace
{

/** @return dp-gt, then the others, under the constants of scheme (S2) */
std::vector<TrackingSetting>
MakeComparison(const TrackingParameters& p, const std::string& partition)
{
    std::vector<std::string> algorithms{"dp-gt", "gt", "dsgd", "dola", "pdop", "push-sum"};
    if (!p.quick)
    {
        algorithms.insert(algorithms.end(), {"dp-sgd", "ldp-online", "ternary"});
    }
    std::vector<TrackingSetting> settings;
    for (const std::string& algorithm : algorithms)
    {
        TrackingSetting setting{{algorithm, algorithm == "gt"}, MakePaperRun(p, "s2", 0.9996)};
        setting.options.algorithm = algorithm;
        setting.options.partition = partition;
        setting.options.noise = 0.01;
        settings.push_back(setting);
    }
    return settings;
}

/** @return whether the first beats all that mix with its weights and do not track */
bool
IsFirstBest(const std::vector<TrackingSetting>& settings)
{
    const double first = settings[0].curve.GetEnd().accuracy.GetMean();
    bool best = true;
    for (const auto& [curve, options] : settings)
    {
        best &= options.IsTracking() || options.algorithm == "push-sum" ||
                curve.GetEnd().accuracy.GetMean() < first;
    }
    return best;
}

} // namespace

bool
RunTrackingComparison(const TrackingParameters& p)
{
    bool good = true;
    for (const std::string partition : {"iid", "sorted"})
    {
        if (p.quick && partition == "iid")
        {
            continue;
        }
        std::vector<TrackingSetting> settings = MakeComparison(p, partition);
        std::cout << "Comparison: constants of S2, noise times 0.01, data split "
                  << (partition == "iid" ? "evenly" : "by label") << "\n\n";
        RunSettings(p, settings);
        WriteSettings(p.out + "/comparison-" + partition,
                      partition == "iid" ? "Data split evenly" : "Data split by label",
                      settings);
        if (partition == "sorted")
        {
            good &=
                Check(IsFirstBest(settings), "dp-gt beats all that mix with its weights (Fig. 5)");
        }
    }
    return good;
}

} // namespace ns3::dlearn
