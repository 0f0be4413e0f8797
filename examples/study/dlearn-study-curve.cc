/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-curve.h"

#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-run-totals.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <ostream>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** The columns and their names in a table, in order. */
const std::vector<std::pair<std::string, StudyColumn>> COLUMNS{
    {"time_s", &StudyPoint::time},
    {"sent_mb", &StudyPoint::megabytes},
    {"loss", &StudyPoint::loss},
    {"accuracy", &StudyPoint::accuracy},
    {"error", &StudyPoint::error},
    {"regret", &StudyPoint::regret},
    {"epsilon", &StudyPoint::epsilon},
    {"delivered", &StudyPoint::delivered}};

} // namespace

void
StudyCurve::Add(Run& run)
{
    std::ostream nowhere(nullptr);
    const RunResults results = run.Execute(nowhere);
    const auto& summaries = run.GetSummaries();
    std::vector<uint32_t> rounds;
    for (const RoundSummary& summary : summaries)
    {
        rounds.push_back(summary.round);
    }
    const auto totals = AddUpTo(results.rows, rounds);
    points.resize(summaries.size());
    for (size_t k = 0; k < summaries.size(); ++k)
    {
        const Evaluation& mean = summaries[k].mean;
        points[k].round = summaries[k].round + 1.0;
        points[k].time.Add(summaries[k].time.GetSeconds());
        points[k].megabytes.Add(totals[k].bytes / 1e6);
        points[k].loss.Add(mean.loss);
        points[k].accuracy.Add(mean.accuracy);
        points[k].error.Add(mean.error);
        points[k].regret.Add(mean.regret);
        points[k].epsilon.Add(totals[k].epsilon);
        points[k].delivered.Add(totals[k].GetDeliveredShare());
    }
}

const StudyPoint&
StudyCurve::GetEnd() const
{
    return points.back();
}

FigureSeries
StudyCurve::MakeSeries(StudyColumn y) const
{
    std::vector<double> abscissae;
    std::vector<Spread> ordinates;
    for (const StudyPoint& point : points)
    {
        abscissae.push_back(point.round);
        ordinates.push_back(point.*y);
    }
    return dlearn::MakeSeries(name, abscissae, ordinates);
}

void
DrawCurves(const std::string& path,
           const std::vector<StudyCurve>& curves,
           StudyFigure plot,
           StudyColumn y)
{
    for (const StudyCurve& curve : curves)
    {
        if (std::isfinite((curve.GetEnd().*y).GetHigh())) // no axis has room for infinity
        {
            plot.Add(curve.MakeSeries(y));
        }
    }
    if (!plot.IsEmpty())
    {
        plot.Write(path);
    }
}

void
WriteCurves(const std::string& path, const std::vector<StudyCurve>& curves)
{
    std::string csv = "curve,round";
    for (const auto& [name, column] : COLUMNS)
    {
        csv += "," + name + "," + name + "_low," + name + "_high";
    }
    csv += "\n";
    for (const StudyCurve& curve : curves)
    {
        for (const StudyPoint& point : curve.points)
        {
            csv += EscapeCsv(curve.name) + "," + FormatShortest(point.round);
            for (const auto& [name, column] : COLUMNS)
            {
                csv += FormatFields(point.*column);
            }
            csv += "\n";
        }
    }
    WriteTextFile(path, csv);
}

} // namespace ns3::dlearn
