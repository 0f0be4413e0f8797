/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-networks.h"

#include "ns3/dlearn-text-format.h"

#include <iomanip>
#include <iostream>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** A network and the way over it. */
struct Way
{
    std::string network;
    std::string transport;
    std::string deadline;
    std::string reliable{"none"};
};

/** @return whether no message can be lost or given up */
bool
IsComplete(const Way& way)
{
    return way.transport == "tcp" && way.deadline.empty();
}

/** @return what is compared; the first is the reference */
std::vector<Way>
GetWays(const std::string& deadline)
{
    std::vector<Way> ways{{"ideal", "udp", ""},
                          {"p2p", "tcp", ""},
                          {"tree:4", "tcp", ""},
                          {"wifi-infra", "tcp", ""},
                          {"wifi-adhoc", "tcp", ""}};
    if (!deadline.empty())
    {
        ways.push_back({"wifi-adhoc", "udp", deadline});
        ways.push_back({"wifi-adhoc", "broadcast", deadline});
        ways.push_back({"wifi-adhoc", "broadcast", "", "nack"});
    }
    return ways;
}

/** Print a line of the table. */
void
PrintWay(const StudyCurve& curve)
{
    const StudyPoint& end = curve.GetEnd();
    std::cout << std::setw(32) << curve.name << std::setw(10)
              << FormatRounded(end.accuracy.GetMean()) << std::setw(11)
              << FormatRounded(end.error.GetMean()) << std::setw(12)
              << FormatRounded(end.time.GetMean()) << std::setw(10)
              << FormatRounded(end.megabytes.GetMean()) << std::setw(10)
              << FormatRounded(100 * end.delivered.GetMean(), 3) << "%" << std::setw(12)
              << FormatRounded(end.epsilon.GetMean()) << std::endl;
}

/** @return whether two spreads are the same, no figures included */
bool
IsSame(const Spread& a, const Spread& b)
{
    return FormatFields(a) == FormatFields(b);
}

} // namespace

bool
CompareNetworks(StudyParameters p,
                const std::string& title,
                const std::string& deadline,
                const NetworkExperiment& make)
{
    std::cout << title << ", " << p.runs << (p.runs == 1 ? " run" : " runs") << "\n\n"
              << "                         network  accuracy      error    time (s)   sent MB   "
                 "in time     epsilon\n";
    std::vector<StudyCurve> curves;
    bool same = true;
    for (const Way& way : GetWays(deadline))
    {
        p.network = way.network;
        p.transport = way.transport;
        p.deadline = way.deadline;
        p.reliable = way.reliable;
        StudyCurve curve{way.network + ", " + way.transport +
                         (way.deadline.empty() ? "" : ", " + way.deadline) +
                         (way.reliable == "none" ? "" : ", " + way.reliable)};
        ForEachRun(p.runs, [&] { curve.Add(*make(p)); });
        PrintWay(curve);
        if (IsComplete(way) && !curves.empty())
        {
            const StudyPoint& ideal = curves[0].GetEnd();
            const StudyPoint& end = curve.GetEnd();
            same &= IsSame(end.accuracy, ideal.accuracy) && IsSame(end.error, ideal.error) &&
                    IsSame(end.loss, ideal.loss) && IsSame(end.epsilon, ideal.epsilon);
        }
        curves.push_back(curve);
    }
    std::cout << "\n";
    const std::string stem = p.out + "/networks";
    WriteCurves(stem + ".csv", curves);
    DrawCurves(stem + "-bytes.figure.csv",
               curves,
               StudyFigure(title, "sent by all (MB)", "accuracy on test samples"),
               &StudyPoint::accuracy,
               &StudyPoint::megabytes);
    StudyFigure time(title, "simulated time (s)", "accuracy on test samples");
    time.SetLogX(); // of the ideal network it is the time of computing alone
    DrawCurves(stem + "-time.figure.csv", curves, time, &StudyPoint::accuracy, &StudyPoint::time);
    StudyFigure error(title, "simulated time (s)", "error");
    error.SetLogX();
    error.SetLogY();
    DrawCurves(stem + "-error.figure.csv", curves, error, &StudyPoint::error, &StudyPoint::time);
    return Check(same, "over TCP, waiting for all, every network gives the ideal one's models");
}

} // namespace ns3::dlearn
