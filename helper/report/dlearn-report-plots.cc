/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-report-plots.h"

#include "dlearn-results-summary.h"
#include "dlearn-svg-plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>

namespace ns3::dlearn
{

namespace
{

using Rows = std::vector<const ResultRow*>;
using Figure = std::function<double(const ResultRow&)>; //!< NaN where it does not apply

/** Mean, smallest and largest of some numbers. */
struct Spread
{
    double sum{0};   //!< of the numbers
    double low{0};   //!< smallest
    double high{0};  //!< largest
    size_t count{0}; //!< how many

    /** @param value one more number; skipped when it is not finite */
    void Add(double value)
    {
        if (std::isfinite(value))
        {
            low = count == 0 ? value : std::min(low, value);
            high = count == 0 ? value : std::max(high, value);
            sum += value;
            ++count;
        }
    }
};

/**
 * @param series where to append a point with its band
 * @param x abscissa
 * @param spread of the ordinate; nothing is appended when it is empty
 */
void
Append(PlotSeries& series, double x, const Spread& spread)
{
    if (spread.count > 0)
    {
        series.x.push_back(x);
        series.y.push_back(spread.sum / static_cast<double>(spread.count));
        series.low.push_back(spread.low);
        series.high.push_back(spread.high);
    }
}

/**
 * @param rows of a run
 * @param figure what to average
 * @return mean over the nodes that closed a round, with its band, by round
 */
PlotSeries
AverageByRound(const Rows& rows, const Figure& figure)
{
    std::map<uint32_t, Spread> rounds;
    for (const auto* row : rows)
    {
        rounds[row->record.round].Add(figure(*row));
    }
    PlotSeries series;
    for (const auto& [round, spread] : rounds)
    {
        Append(series, round, spread);
    }
    return series;
}

/**
 * @param rows of a run, sorted by time
 * @param figure what to average
 * @return mean over the nodes of the newest figure of each, with its band, by time in seconds
 */
PlotSeries
AverageByTime(const Rows& rows, const Figure& figure)
{
    std::map<LearnerId, double> newest;
    Rows shown;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(shown), [&](const auto* row) {
        return std::isfinite(figure(*row));
    });
    // Not after every row: that would be nodes x rows of work for a picture 600 pixels wide.
    const size_t every = shown.size() / 600 + 1;
    PlotSeries series;
    for (size_t k = 0; k < shown.size(); ++k)
    {
        const auto& record = shown[k]->record;
        newest[record.node] = figure(*shown[k]);
        const bool last = k + 1 == shown.size();
        const bool sameTime = !last && shown[k + 1]->record.closed == record.closed;
        if ((k % every == 0 && !sameTime) || last)
        {
            Spread spread;
            for (const auto& [node, value] : newest)
            {
                spread.Add(value);
            }
            Append(series, record.closed.GetSeconds(), spread);
        }
    }
    return series;
}

/**
 * @param series of a plot to be
 * @return whether its positive values span more than two powers of ten: then a linear axis
 *         would show a flat line
 */
bool
IsWide(const PlotSeries& series)
{
    double low = INFINITY;
    double high = 0;
    for (double y : series.y)
    {
        if (y < 0)
        {
            return false;
        }
        low = y > 0 ? std::min(low, y) : low;
        high = std::max(high, y);
    }
    return high > 100 * low;
}

/**
 * One figure of the models, against time and against round.
 *
 * @param rows of a run, sorted by time
 * @param name of the figure, for the titles
 * @param label of the vertical axis
 * @param figure which one
 * @param section where to append both plots, unless there is nothing to show
 */
void
AddMetric(const Rows& rows,
          const std::string& name,
          const std::string& label,
          double Evaluation::*figure,
          ReportSection& section)
{
    const Figure value = [figure](const ResultRow& row) {
        return row.evaluation ? (*row.evaluation).*figure : Evaluation::NONE;
    };
    auto byTime = AverageByTime(rows, value);
    auto byRound = AverageByRound(rows, value);
    const bool log = IsWide(byRound) && figure != &Evaluation::accuracy;
    auto add = [&](PlotSeries series, const std::string& against, const std::string& axis) {
        SvgPlot plot(name + against, axis, label);
        if (log)
        {
            plot.SetLogY();
        }
        if (axis == "round")
        {
            plot.SetWholeX();
        }
        series.name = "mean over learners, band from smallest to largest";
        plot.Add(std::move(series));
        if (!plot.IsEmpty())
        {
            section.pictures.push_back(plot.Draw(false));
        }
    };
    add(std::move(byTime), " against simulated time", "simulated time (s)");
    add(std::move(byRound), " against round", "round");
}

/**
 * @param rows of a run, sorted by time
 * @return what the models achieved
 */
ReportSection
MakeLearningSection(const Rows& rows)
{
    ReportSection section{"Learning", "", {}};
    AddMetric(rows, "Loss", "objective over all data seen", &Evaluation::loss, section);
    AddMetric(rows, "Accuracy", "share classified rightly", &Evaluation::accuracy, section);
    AddMetric(rows, "Error", "squared distance to the optimum", &Evaluation::error, section);
    AddMetric(rows,
              "Consensus",
              "squared distance to the mean model",
              &Evaluation::consensus,
              section);
    if (section.pictures.empty())
    {
        section.note = "No round was evaluated.";
    }
    return section;
}

/**
 * Largest epsilon of all nodes so far, by round.
 *
 * @param rows of a run
 * @param figure realised or nominal
 * @return the curve; it never falls, even when the node that spent most stops early
 */
PlotSeries
LargestEpsilon(const Rows& rows, double RoundRecord::*figure)
{
    std::map<uint32_t, Spread> rounds;
    for (const auto* row : rows)
    {
        rounds[row->record.round].Add(row->record.*figure);
    }
    PlotSeries series;
    double largest = 0;
    for (const auto& [round, spread] : rounds)
    {
        if (spread.count > 0)
        {
            largest = std::max(largest, spread.high);
            series.x.push_back(round);
            series.y.push_back(largest);
        }
    }
    return series;
}

/**
 * @param rows of a run, sorted by time
 * @return what privacy was spent
 */
ReportSection
MakePrivacySection(const Rows& rows)
{
    ReportSection section{"Privacy", "", {}};
    const bool unbounded = std::any_of(rows.begin(), rows.end(), [](const auto* row) {
        return std::isinf(row->record.epsilon) || std::isinf(row->record.epsilonNominal);
    });
    const bool spent = std::any_of(rows.begin(), rows.end(), [](const auto* row) {
        auto counts = [](double epsilon) { return std::isfinite(epsilon) && epsilon > 0; };
        return counts(row->record.epsilon) || counts(row->record.epsilonNominal);
    });
    section.note = unbounded ? "An epsilon is infinite where nothing bounds it: no privacy is "
                               "guaranteed there. The plots leave it out."
                   : spent   ? ""
                             : "No privacy budget was spent, or none was accounted for.";
    if (!spent)
    {
        return section;
    }
    std::map<LearnerId, PlotSeries> nodes;
    for (const auto* row : rows)
    {
        auto& series = nodes[row->record.node];
        series.x.push_back(row->record.round);
        series.y.push_back(row->record.epsilon);
    }
    SvgPlot plot("Privacy spent", "round", "epsilon");
    plot.SetWholeX();
    bool first = true;
    for (auto& [node, series] : nodes)
    {
        series.name = first ? "each learner, realised" : "";
        series.style = PlotSeries::Style::THIN;
        series.color = 0;
        first = false;
        plot.Add(std::move(series));
    }
    auto realised = LargestEpsilon(rows, &RoundRecord::epsilon);
    realised.name = "largest, realised";
    realised.color = 0;
    plot.Add(std::move(realised));
    auto nominal = LargestEpsilon(rows, &RoundRecord::epsilonNominal);
    nominal.name = "largest, nominal";
    nominal.color = 1;
    nominal.style = PlotSeries::Style::DASHED;
    plot.Add(std::move(nominal));
    section.pictures.push_back(plot.Draw(false));
    return section;
}

/** Sums over all nodes in one round or in some rounds in a row. */
struct RoundSums
{
    uint32_t begin{0};                //!< first round
    uint32_t end{0};                  //!< last round
    std::array<double, 4> messages{}; //!< lost, late, rejected, used; mean per round
    std::array<double, 2> bytes{};    //!< sent, received; mean per round
};

/**
 * @param rows of a run
 * @return sums by round, or over so many rounds that at most 300 entries remain
 */
std::vector<RoundSums>
SumByRound(const Rows& rows)
{
    uint32_t rounds = 0;
    for (const auto* row : rows)
    {
        rounds = std::max(rounds, row->record.round);
    }
    const uint32_t size = rounds / 300 + 1;
    std::map<uint32_t, RoundSums> bins;
    for (const auto* row : rows)
    {
        const auto& record = row->record;
        const uint32_t begin = record.round / size * size;
        auto& sums = bins[begin];
        sums.begin = begin;
        sums.end = std::min(begin + (size - 1), rounds);
        const double share = 1.0 / (sums.end - sums.begin + 1);
        sums.messages[0] += share * record.lost;
        sums.messages[1] += share * record.late;
        sums.messages[2] += share * record.rejected;
        sums.messages[3] += share * record.used;
        sums.bytes[0] += share * static_cast<double>(record.txBytes);
        sums.bytes[1] += share * static_cast<double>(record.rxBytes);
    }
    std::vector<RoundSums> sums;
    for (const auto& [begin, entry] : bins)
    {
        sums.push_back(entry);
    }
    return sums;
}

/**
 * @param sums by round
 * @return messages as a stack as high as what was expected; failed messages are at the
 *         bottom, where their height can be read
 */
SvgPlot
MakeMessagePlot(const std::vector<RoundSums>& sums)
{
    SvgPlot plot("Messages per round, all learners", "round", "messages expected");
    plot.SetWholeX();
    const std::array<const char*, 4> names{"lost", "late", "rejected", "used"};
    const std::array<int, 4> colors{1, 4, 3, 0};
    std::vector<double> base(2 * sums.size(), 0.0);
    for (size_t layer = 0; layer < names.size(); ++layer)
    {
        PlotSeries series;
        series.name = names[layer];
        series.color = colors[layer];
        series.style = PlotSeries::Style::AREA;
        series.low = base;
        for (size_t k = 0; k < sums.size(); ++k)
        {
            // A step from half a round before to half a round after.
            series.x.push_back(sums[k].begin - 0.5);
            series.x.push_back(sums[k].end + 0.5);
            base[2 * k] += sums[k].messages[layer];
            base[2 * k + 1] += sums[k].messages[layer];
        }
        series.high = base;
        plot.Add(std::move(series));
    }
    return plot;
}

/**
 * @param sums by round
 * @return bytes sent and received
 */
SvgPlot
MakeBytePlot(const std::vector<RoundSums>& sums)
{
    double largest = 0;
    for (const auto& entry : sums)
    {
        largest = std::max({largest, entry.bytes[0], entry.bytes[1]});
    }
    const double unit = largest >= 1e9 ? 1e9 : largest >= 1e6 ? 1e6 : largest >= 1e3 ? 1e3 : 1;
    const std::string name = unit == 1e9 ? "GB" : unit == 1e6 ? "MB" : unit == 1e3 ? "kB" : "B";
    SvgPlot plot("Bytes per round, all learners", "round", "payload (" + name + ")");
    plot.SetWholeX();
    for (size_t direction : {0, 1})
    {
        PlotSeries series;
        series.name = direction == 0 ? "sent" : "received";
        series.style = direction == 0 ? PlotSeries::Style::LINE : PlotSeries::Style::DASHED;
        for (const auto& entry : sums)
        {
            series.x.push_back(0.5 * (entry.begin + static_cast<double>(entry.end)));
            series.y.push_back(entry.bytes[direction] / unit);
        }
        plot.Add(std::move(series));
    }
    return plot;
}

/**
 * @param rows of a run, sorted by time
 * @return what went over the network, and how long it took
 */
ReportSection
MakeNetworkSection(const Rows& rows)
{
    ReportSection section{"Network", "", {}};
    if (rows.empty())
    {
        section.note = "No round was closed.";
        return section;
    }
    const auto sums = SumByRound(rows);
    section.pictures.push_back(MakeMessagePlot(sums).Draw(false));
    section.pictures.push_back(MakeBytePlot(sums).Draw(false));
    if (sums.front().end > sums.front().begin)
    {
        section.note = "Messages and bytes are means over " +
                       std::to_string(sums.front().end - sums.front().begin + 1) +
                       " rounds in a row.";
    }
    SvgPlot plot("Round duration", "round", "simulated time (s)");
    plot.SetWholeX();
    auto duration =
        AverageByRound(rows, [](const ResultRow& row) { return row.record.duration.GetSeconds(); });
    duration.name = "round, mean and range over learners";
    plot.Add(std::move(duration));
    auto compute =
        AverageByRound(rows, [](const ResultRow& row) { return row.record.compute.GetSeconds(); });
    compute.name = "of it computing";
    compute.style = PlotSeries::Style::DASHED;
    plot.Add(std::move(compute));
    section.pictures.push_back(plot.Draw(false));
    return section;
}

} // namespace

std::vector<ReportSection>
MakeReportSections(const std::vector<ResultRow>& rows)
{
    const auto sorted = SortRows(rows);
    return {MakeLearningSection(sorted), MakePrivacySection(sorted), MakeNetworkSection(sorted)};
}

} // namespace ns3::dlearn
