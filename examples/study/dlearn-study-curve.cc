/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-curve.h"

#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <ostream>
#include <utility>

namespace ns3
{
namespace dlearn
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

/** What a run's rows say about all rounds up to one. */
struct Account
{
    double bytes{0};                  //!< sent
    double expected{0};               //!< messages, by server or peers
    double received{0};               //!< of these, in time
    double epsilon{Evaluation::NONE}; //!< largest of the honest

    void Add(const Account& other)
    {
        bytes += other.bytes;
        expected += other.expected;
        received += other.received;
        epsilon = std::fmax(epsilon, other.epsilon);
    }
};

/** @return the account of one node's round */
Account
ReadRow(const ResultRow& row)
{
    Account account;
    account.bytes = row.record.txBytes;
    if (row.role == "peer" || row.role == "server")
    {
        account.expected = row.record.expected;
        account.received = row.record.received;
    }
    if (row.role != "byzantine")
    {
        account.epsilon = row.record.epsilon;
    }
    return account;
}

/** @return for each evaluated round what the rows up to it come to */
std::vector<Account>
AddUp(const std::vector<ResultRow>& rows, const std::vector<RoundSummary>& summaries)
{
    std::vector<Account> accounts(summaries.size());
    for (const ResultRow& row : rows)
    {
        for (size_t k = 0; k < summaries.size(); ++k)
        {
            if (row.record.round <= summaries[k].round)
            {
                accounts[k].Add(ReadRow(row));
                break;
            }
        }
    }
    for (size_t k = 1; k < accounts.size(); ++k)
    {
        accounts[k].Add(accounts[k - 1]);
    }
    return accounts;
}

} // namespace

void
StudyCurve::Run(Scenario& scenario)
{
    std::ostream nowhere(nullptr);
    const RunResults results = scenario.Run(nowhere);
    const auto& summaries = scenario.GetSummaries();
    const auto accounts = AddUp(results.rows, summaries);
    points.resize(summaries.size());
    for (size_t k = 0; k < summaries.size(); ++k)
    {
        const Evaluation& mean = summaries[k].mean;
        points[k].round = summaries[k].round + 1.0;
        points[k].time.Add(summaries[k].time.GetSeconds());
        points[k].megabytes.Add(accounts[k].bytes / 1e6);
        points[k].loss.Add(mean.loss);
        points[k].accuracy.Add(mean.accuracy);
        points[k].error.Add(mean.error);
        points[k].regret.Add(mean.regret);
        points[k].epsilon.Add(accounts[k].epsilon);
        points[k].delivered.Add(accounts[k].received / accounts[k].expected);
    }
}

const StudyPoint&
StudyCurve::GetEnd() const
{
    return points.back();
}

PlotSeries
StudyCurve::MakeSeries(StudyColumn y, StudyColumn x) const
{
    std::vector<double> abscissae;
    std::vector<Spread> ordinates;
    for (const StudyPoint& point : points)
    {
        abscissae.push_back(x == nullptr ? point.round : (point.*x).GetMean());
        ordinates.push_back(point.*y);
    }
    PlotSeries series = dlearn::MakeSeries(name, abscissae, ordinates);
    series.style = reference ? PlotSeries::Style::DASHED : PlotSeries::Style::LINE;
    return series;
}

void
DrawCurves(const std::string& path,
           const std::vector<StudyCurve>& curves,
           SvgPlot plot,
           StudyColumn y,
           StudyColumn x)
{
    for (const StudyCurve& curve : curves)
    {
        if (std::isfinite((curve.GetEnd().*y).GetHigh())) // no axis has room for infinity
        {
            plot.Add(curve.MakeSeries(y, x));
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

} // namespace dlearn
} // namespace ns3
