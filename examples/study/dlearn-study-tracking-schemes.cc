/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-tracking.h"

#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <iostream>

namespace ns3::dlearn
{

namespace
{

/** @return whether epsilon is known: gradients of neural networks have no bound unless clipped */
bool
HasAccount(const StudyCurve& curve)
{
    return !std::isnan(curve.GetEnd().epsilon.GetMean());
}

} // namespace

bool
RunTrackingScheme(const TrackingParameters& p, const std::string& scheme, StudyCurve& middle)
{
    const std::string name = scheme == "s1" ? "S1" : "S2";
    const std::vector<double> exponents = scheme == "s1"
                                              ? std::vector<double>{-0.1, 0.1, 0.2}
                                              : std::vector<double>{0.9994, 0.9996, 0.9998};
    std::vector<TrackingSetting> settings;
    for (const double exponent : exponents)
    {
        settings.push_back(
            {{"p = " + FormatShortest(exponent)}, MakePaperRun(p, scheme, exponent)});
    }
    std::cout << "Scheme (" << name << "), " << p.task << " over " << p.network << ", noise times "
              << p.noise << "\n\n";
    RunSettings(p, settings);
    WriteSettings(p.out + "/" + scheme, "Scheme (" + name + ")", settings);
    middle = settings[1].curve;
    bool accuracy = true;
    bool error = true;
    bool epsilon = true;
    for (size_t k = 1; k < settings.size(); ++k)
    {
        const StudyPoint& less = settings[k - 1].curve.GetEnd();
        const StudyPoint& more = settings[k].curve.GetEnd();
        accuracy &= more.accuracy.GetMean() < less.accuracy.GetMean();
        error &= more.error.GetMean() > less.error.GetMean();
        epsilon &= more.epsilon.GetMean() < less.epsilon.GetMean();
    }
    const std::string figure = scheme == "s1" ? "2" : "3";
    bool good = Check(accuracy, "less noise: higher accuracy (Fig. " + figure + ")");
    good &= Check(error, "less noise: smaller gradient");
    if (HasAccount(middle))
    {
        good &= Check(epsilon, "less noise: larger epsilon (Theorems 4 and 5)");
    }
    return good;
}

bool
JudgeSchemes(const StudyCurve& s1, const StudyCurve& s2)
{
    std::cout << "Both schemes, middle noise\n\n";
    const size_t half = s1.points.size() / 2;
    bool good = Check(s2.points[half].accuracy.GetMean() > s1.points[half].accuracy.GetMean(),
                      "S2 is faster: higher accuracy half way (Fig. 4)");
    if (HasAccount(s1))
    {
        good &= Check(s1.GetEnd().epsilon.GetMean() < s2.GetEnd().epsilon.GetMean(),
                      "S1 spends less (Fig. 4e)");
    }
    return good;
}

} // namespace ns3::dlearn
