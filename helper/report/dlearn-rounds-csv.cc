/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** A column of rounds.csv. */
struct Column
{
    std::string name;                                               //!< in the header
    std::function<std::string(const ResultRow&)> write;             //!< a field of it
    std::function<bool(const std::string& field, ResultRow&)> read; //!< whether a field is valid
    bool measured{false}; //!< whether only files with a number in it have the column
};

/** @return whether a field is a whole number, which @p value gets */
template <typename Whole>
bool
ReadWhole(const std::string& field, Whole& value)
{
    const char* const end = field.data() + field.size();
    const auto [last, error] = std::from_chars(field.data(), end, value);
    return !field.empty() && error == std::errc() && last == end;
}

/** @return whether a field is a number, infinite or empty for NaN; @p value gets it */
bool
ReadNumber(const std::string& field, double& value)
{
    const auto number = ParseNumber(field);
    value = number            ? *number
            : field == "inf"  ? INFINITY
            : field == "-inf" ? -INFINITY
                              : Evaluation::NONE;
    return !std::isnan(value) || field.empty();
}

/** @return a column of a count of a record */
template <typename Whole>
Column
CountColumn(const std::string& name, Whole RoundRecord::*count)
{
    return {name,
            [count](const ResultRow& row) { return std::to_string(row.record.*count); },
            [count](const std::string& field, ResultRow& row) {
                return ReadWhole(field, row.record.*count);
            }};
}

/** @return a column of a time of a record, in seconds */
Column
TimeColumn(const std::string& name, Time RoundRecord::*time)
{
    return {name,
            [time](const ResultRow& row) { return FormatSeconds(row.record.*time); },
            [time](const std::string& field, ResultRow& row) {
                const auto seconds = ParseNumber(field);
                const bool valid = seconds && *seconds >= 0 && *seconds < 9e9;
                row.record.*time = NanoSeconds(valid ? std::llround(*seconds * 1e9) : 0);
                return valid;
            }};
}

/** @return a column of an epsilon */
Column
EpsilonColumn(const std::string& name, double RoundRecord::*epsilon)
{
    return {name,
            [epsilon](const ResultRow& row) { return FormatShortest(row.record.*epsilon); },
            [epsilon](const std::string& field, ResultRow& row) {
                return ReadNumber(field, row.record.*epsilon);
            }};
}

/** @return a column of a metric */
Column
MetricColumn(const Metric& metric)
{
    const auto figure = metric.figure;
    return {metric.name,
            [figure](const ResultRow& row) {
                return row.evaluation ? FormatShortest((*row.evaluation).*figure) : "";
            },
            [figure](const std::string& field, ResultRow& row) {
                double value;
                const bool valid = ReadNumber(field, value);
                if (!std::isnan(value))
                {
                    row.evaluation = row.evaluation.value_or(Evaluation());
                    (*row.evaluation).*figure = value;
                }
                return valid;
            },
            metric.online};
}

/**
 * @param name of the column
 * @param find returns the figure of a row
 * @return a column of what only some runs measure; its fields are empty for NaN
 */
template <typename Find>
Column
MeasuredColumn(const std::string& name, const Find& find)
{
    return {
        name,
        [find](const ResultRow& row) { return FormatShortest(find(row)); },
        [find](const std::string& field, ResultRow& row) { return ReadNumber(field, find(row)); },
        true};
}

/** @return a column of joules */
Column
JouleColumn(const std::string& name, double ResultRow::*joules)
{
    return MeasuredColumn(
        name,
        [joules](auto& row) -> auto& { return row.*joules; });
}

/** @return a column of a phase of rounds */
Column
PhaseColumn(const std::string& name, double RoundPhases::*phase)
{
    return MeasuredColumn(
        name,
        [phase](auto& row) -> auto& { return row.phases.*phase; });
}

/** @return all columns, in their order */
std::vector<Column>
MakeColumns()
{
    using R = RoundRecord;
    std::vector<Column> columns{TimeColumn("time_s", &R::closed),
                                CountColumn("round", &R::round),
                                CountColumn("node", &R::node),
                                {"role",
                                 [](const ResultRow& row) { return EscapeCsv(row.role); },
                                 [](const std::string& field, ResultRow& row) {
                                     row.role = field;
                                     return !field.empty();
                                 }}};
    const auto addMetrics = [&columns](bool online) {
        for (const Metric& metric : GetMetrics())
        {
            if (metric.online == online)
            {
                columns.push_back(MetricColumn(metric));
            }
        }
    };
    addMetrics(false);
    for (const Column& column : {EpsilonColumn("epsilon", &R::epsilon),
                                 EpsilonColumn("epsilon_nominal", &R::epsilonNominal),
                                 CountColumn("expected", &R::expected),
                                 CountColumn("received", &R::received),
                                 CountColumn("late", &R::late),
                                 CountColumn("lost", &R::lost),
                                 CountColumn("rejected", &R::rejected),
                                 CountColumn("tx_bytes", &R::txBytes),
                                 CountColumn("rx_bytes", &R::rxBytes),
                                 TimeColumn("compute_s", &R::compute),
                                 TimeColumn("round_s", &R::duration),
                                 JouleColumn("energy_j", &ResultRow::energy),
                                 JouleColumn("battery_j", &ResultRow::battery),
                                 PhaseColumn("queue_s", &RoundPhases::queue),
                                 PhaseColumn("air_s", &RoundPhases::air),
                                 PhaseColumn("retransmission_s", &RoundPhases::again),
                                 PhaseColumn("wait_s", &RoundPhases::wait)})
    {
        columns.push_back(column);
    }
    addMetrics(true);
    return columns;
}

/** @return all columns, in their order */
const std::vector<Column>&
GetColumns()
{
    static const std::vector<Column> columns = MakeColumns();
    return columns;
}

/** @return the columns that a file with these rows has, in their order */
std::vector<const Column*>
ChooseColumns(const std::vector<ResultRow>& rows)
{
    std::vector<const Column*> chosen;
    for (const Column& column : GetColumns())
    {
        if (!column.measured || std::any_of(rows.begin(), rows.end(), [&column](const auto& row) {
                return !column.write(row).empty();
            }))
        {
            chosen.push_back(&column);
        }
    }
    return chosen;
}

/**
 * @param place of the header, for messages
 * @param header first line
 * @return the columns that are there, and where in a line each of them is
 */
std::vector<std::pair<const Column*, size_t>>
FindColumns(const std::string& place, const std::string& header)
{
    std::map<std::string, size_t> places;
    for (const CsvField& field : SplitCsvFields(header))
    {
        places.emplace(field.text, places.size());
    }
    std::vector<std::pair<const Column*, size_t>> found;
    for (const Column& column : GetColumns())
    {
        const auto at = places.find(column.name);
        Require(at != places.end() || column.measured, place, ": no column ", column.name);
        if (at != places.end())
        {
            found.emplace_back(&column, at->second);
        }
    }
    return found;
}

/**
 * A file that was cut short in its last number still has as many lines, and each with all fields.
 * @param path of a rounds.csv that is not empty
 */
void
CheckEnd(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    file.seekg(-1, std::ios::end);
    Require(file.get() == '\n', path, ": must end with a line feed, its last line is cut short");
}

/** @return a row of a rounds.csv, of whose columns the fields of a line are */
ResultRow
ReadRow(const std::string& place,
        const std::vector<std::pair<const Column*, size_t>>& columns,
        const std::vector<CsvField>& fields)
{
    ResultRow row;
    for (const auto& [column, at] : columns)
    {
        const std::string& field = fields[at].text;
        Require(column->read(field, row),
                place,
                ": '",
                field,
                "' is no value of column ",
                column->name);
    }
    auto& record = row.record;
    Require(record.rejected <= record.received,
            place,
            ": rejected must not be more than received, got ",
            record.rejected);
    record.used = record.received - record.rejected;
    return row;
}

} // namespace

const std::vector<Metric>&
GetMetrics()
{
    static const std::vector<Metric> metrics{
        {"loss", &Evaluation::loss, false, "objective over all data seen"},
        {"accuracy",
         &Evaluation::accuracy,
         true,
         "fraction of the test samples classified correctly"},
        {"error", &Evaluation::error, false, "squared distance to the best model"},
        {"consensus", &Evaluation::consensus, false, "squared distance to the mean model"},
        {"regret", &Evaluation::regret, false, "loss above the least for all data seen", true}};
    return metrics;
}

bool
IsClosedRound(const ResultRow& row)
{
    const RoundRecord& record = row.record;
    return row.role == "server" || record.expected > 0 || !record.duration.IsZero() ||
           !record.compute.IsZero();
}

std::vector<ResultRow>
FindClosedRounds(const std::vector<ResultRow>& rows)
{
    std::vector<ResultRow> closed;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(closed), IsClosedRound);
    return closed;
}

std::vector<const ResultRow*>
SortRows(const std::vector<ResultRow>& rows)
{
    std::vector<const ResultRow*> sorted;
    sorted.reserve(rows.size());
    for (const auto& row : rows)
    {
        sorted.push_back(&row);
    }
    auto key = [](const ResultRow* row) {
        return std::make_tuple(row->record.closed.GetTimeStep(),
                               row->record.node,
                               row->record.round);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&key](const auto* a, const auto* b) {
        return key(a) < key(b);
    });
    return sorted;
}

std::vector<Time>
FindSpans(const std::vector<ResultRow>& rows)
{
    std::vector<Time> spans(rows.size());
    std::map<LearnerId, Time> closed;
    for (const ResultRow* row : SortRows(rows))
    {
        const RoundRecord& record = row->record;
        const auto [before, isFirst] = closed.try_emplace(record.node, record.closed);
        spans[row - rows.data()] = isFirst ? record.duration : record.closed - before->second;
        before->second = record.closed;
    }
    return spans;
}

std::string
MakeRoundsCsv(const std::vector<ResultRow>& rows)
{
    const auto columns = ChooseColumns(rows);
    std::string text;
    for (const Column* column : columns)
    {
        text += (text.empty() ? "" : ",") + column->name;
    }
    text += "\n";
    for (const ResultRow* row : SortRows(rows))
    {
        std::string line;
        for (const Column* column : columns)
        {
            line += (line.empty() ? "" : ",") + column->write(*row);
        }
        text += line + "\n";
    }
    return text;
}

std::vector<ResultRow>
ReadRoundsCsv(const std::string& path)
{
    LineReader reader(path);
    std::string line;
    Require(reader.Next(line), path, ": is empty");
    CheckEnd(path);
    const auto places = FindColumns(reader.GetPlace(), line);
    const size_t width = SplitCsvFields(line).size();
    std::vector<ResultRow> rows;
    std::set<std::tuple<LearnerId, uint32_t, bool>> seen;
    while (reader.Next(line))
    {
        const auto fields = SplitCsvFields(line);
        Require(fields.size() == width,
                reader.GetPlace(),
                ": must have ",
                width,
                " fields, got ",
                fields.size());
        ResultRow row = ReadRow(reader.GetPlace(), places, fields);
        const RoundRecord& record = row.record;
        // The row of a learner in the end may be of a round that it has closed.
        Require(seen.insert({record.node, record.round, IsClosedRound(row)}).second,
                reader.GetPlace(),
                ": round ",
                record.round,
                " of learner ",
                record.node,
                " is there twice");
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace ns3::dlearn
