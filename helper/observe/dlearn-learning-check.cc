/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learning-check.h"

#include "ns3/dlearn-text-format.h"

#include <cmath>

namespace ns3::dlearn
{

std::string
DescribeNoLearning(const std::vector<RoundSummary>& rounds)
{
    if (rounds.size() < 2)
    {
        return "";
    }
    const RoundSummary& first = rounds.front();
    const RoundSummary& last = rounds.back();
    std::string text;
    bool better = false;
    const auto compare = [&](const char* name, double Evaluation::*figure, double sign) {
        const double before = first.mean.*figure;
        const double after = last.mean.*figure;
        if (!std::isnan(before))
        {
            better = better || sign * after > sign * before;
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + FormatRounded(before) +
                    " and " + FormatRounded(after);
        }
    };
    compare("loss", &Evaluation::loss, -1);
    compare("error", &Evaluation::error, -1);
    compare("accuracy", &Evaluation::accuracy, 1);
    const double growth = last.mean.loss / first.mean.loss; // NaN without a loss
    const bool grown = first.mean.loss > 0 && growth >= GROWN_LOSS;
    const bool few = rounds.size() < MIN_CHECKED_ROUNDS;
    if (text.empty() || ((better || few) && !grown))
    {
        return "";
    }
    const std::string what =
        better ? "the loss has grown to " + FormatRounded(growth) + " times its beginning"
               : "nothing was learned after round " + std::to_string(first.round);
    return what + ": in the rounds " + std::to_string(first.round) + " and " +
           std::to_string(last.round) + ", " + text;
}

} // namespace ns3::dlearn
