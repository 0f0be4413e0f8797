/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-conditions.h"

#include <sstream>

namespace ns3::dlearn
{

namespace
{

/**
 * Join the pieces of a sentence.
 * @param parts strings and numbers
 * @return the sentence
 */
template <typename... Parts>
std::string
Say(const Parts&... parts)
{
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

} // namespace

std::vector<std::string>
FindViolations(const LdpOnlineConditions& c)
{
    std::vector<std::string> found;
    const double growth = c.noisy ? c.noiseExponent : 0;
    if (c.noisy && !(growth > 0 && growth < 0.5))
    {
        found.push_back(Say("0 < s < 1/2 (Assumption 4): s = ", growth));
    }
    if (!(growth + 0.5 < c.couplingExponent && c.couplingExponent < c.stepExponent &&
          c.stepExponent < 1))
    {
        found.push_back(Say("max s + 1/2 < u < v < 1 (eq. 4): s = ",
                            growth,
                            ", u = ",
                            c.couplingExponent,
                            ", v = ",
                            c.stepExponent));
    }
    if (!c.convex)
    {
        found.push_back("convex loss (Assumption 1): not known of this task");
        return found;
    }
    // Necessary for Theorems 1 and 2 whatever the rest of the graph is like; see LdpOnline.
    if (3 * c.inWeight * c.coupling > 1)
    {
        found.push_back(
            Say("gamma_0 <= 1/(-3 delta_m) (Theorems 1 and 2; Theorem 3 allows it after "
                "a transient): gamma_0 = ",
                c.coupling,
                ", 1/(-3 delta_m) is at most ",
                1 / (3 * c.inWeight)));
    }
    if (c.curvature == 0)
    {
        const double least = (1 + 2 * c.couplingExponent) / 3;
        if (!(least < c.stepExponent))
        {
            found.push_back(Say("(1+2u)/3 < v (Theorem 2, merely convex loss): (1+2u)/3 = ",
                                least,
                                ", v = ",
                                c.stepExponent));
        }
        return found;
    }
    const double mu = c.curvature;
    const double most =
        2 * c.inWeight * c.coupling * mu / (mu * mu + 8 * c.smoothness * c.smoothness);
    if (c.stepSize > most)
    {
        found.push_back(Say("lambda_0 <= -gamma_0 delta_2 mu/(mu^2 + 8 L^2) (Theorem 1; Theorem 3 "
                            "allows it after a transient): lambda_0 = ",
                            c.stepSize,
                            ", the bound is at most ",
                            most));
    }
    return found;
}

} // namespace ns3::dlearn
