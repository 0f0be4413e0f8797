/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ns3::dlearn
{

namespace
{

/** @return fields that hold a count of a record */
template <typename Whole>
std::function<std::string(const ResultRow&)>
Write(Whole RoundRecord::*count)
{
    return [count](const ResultRow& row) { return std::to_string(row.record.*count); };
}

/** @return fields that hold a time of a record, in seconds */
template <>
std::function<std::string(const ResultRow&)>
Write(Time RoundRecord::*time)
{
    return [time](const ResultRow& row) { return FormatSeconds(row.record.*time); };
}

/** @return fields that hold an epsilon */
template <>
std::function<std::string(const ResultRow&)>
Write(double RoundRecord::*epsilon)
{
    return [epsilon](const ResultRow& row) { return FormatShortest(row.record.*epsilon); };
}

/** @return fields that hold a metric */
std::function<std::string(const ResultRow&)>
Write(double Evaluation::*figure)
{
    return [figure](const ResultRow& row) {
        return row.evaluation ? FormatShortest((*row.evaluation).*figure) : "";
    };
}

/** @return fields that hold joules */
std::function<std::string(const ResultRow&)>
Write(double ResultRow::*joules)
{
    return [joules](const ResultRow& row) { return FormatShortest(row.*joules); };
}

/** @return fields that hold the time of a phase */
std::function<std::string(const ResultRow&)>
Write(double RoundPhases::*phase)
{
    return [phase](const ResultRow& row) { return FormatShortest(row.phases.*phase); };
}

/**
 * @param columns get those of metrics
 * @param measured those that only some files have, or the others
 */
void
AddMetrics(std::vector<RoundsColumn>& columns, bool measured)
{
    for (const Metric& metric : GetMetrics())
    {
        if (metric.measured == measured)
        {
            columns.push_back({metric.name, "", metric.meaning, Write(metric.figure), measured});
        }
    }
}

/** @return all columns, in their order */
std::vector<RoundsColumn>
MakeColumns()
{
    using R = RoundRecord;
    std::vector<RoundsColumn> columns{
        {"time_s",
         "s",
         "simulated time at which the node closed the round, since all learners were ready (see "
         "Times below)",
         Write(&R::closed)},
        {"round",
         "",
         "round, from 0; for a client: the number that the server gave to the model that the "
         "client trained on (when sync, the round)",
         Write(&R::round)},
        {"node", "", "learner, from 0; 0 is the server, if there is one", Write(&R::node)},
        {"role",
         "",
         "``peer``, ``server``, ``client`` or ``byzantine``; ``edge`` and ``edge-server`` "
         "(:doc:`algorithms/tiers`)",
         [](const ResultRow& row) { return EscapeCsv(row.role); }}};
    AddMetrics(columns, false);
    const std::vector<RoundsColumn> more{
        {"epsilon",
         "",
         "privacy spent until ``time_s``, by what actually happened; an update on its way counts "
         "as sent",
         Write(&R::epsilon)},
        {"epsilon_nominal",
         "",
         "the same if every message had left and arrived; with ``--privacy-unit=sample`` also as "
         "if one sample were in every batch, once, so that it may be far above ``epsilon``, or a "
         "little below where samples are drawn twice in a batch",
         Write(&R::epsilonNominal)},
        {"expected",
         "",
         "messages that the algorithm expects in a round; for a server: answers to models, by the "
         "round in which they arrived or the server stopped waiting for them; for a client: 1, "
         "the model; for asynchronous peers: messages made since the last round closed, as later "
         "messages tell",
         Write(&R::expected)},
        {"received",
         "",
         "messages that arrived in time, with ``UsePartial`` also those that arrived in part",
         Write(&R::received)},
        {"late",
         "",
         "messages that arrived after the round closed, or after the server stopped waiting for "
         "them; for asynchronous peers: after a newer one",
         Write(&R::late)},
        {"lost",
         "",
         "messages that never arrived, also those that were never made: of a client that still "
         "trained and skipped a model (the total ``models_superseded`` in ``summary.json``); "
         "``expected = received + late + lost``",
         Write(&R::lost)},
        {"rejected",
         "",
         "messages that were received but not usable (not finite, wrong length; for asynchronous "
         "peers, and in the buffer of a robust server, also: superseded by a newer one; for a "
         "server also: lost in its crash, before a model was made of them); used = received - "
         "rejected",
         Write(&R::rejected)},
        {"tx_bytes",
         "bytes",
         "handed to sockets since the row before, also in rounds between that the node did not "
         "close; the last row has all that follows it, too. The row of a client, which it closes "
         "when it has trained, has all that it sent of the update, also later than ``time_s``",
         Write(&R::txBytes)},
        {"rx_bytes", "bytes", "taken from sockets since the row before", Write(&R::rxBytes)},
        {"compute_s",
         "s",
         "simulated time of the gradient, of a client's training, or of a server's averaging",
         Write(&R::compute)},
        {"round_s", "s", "simulated time from opening to closing", Write(&R::duration)},
        {"last_from",
         "",
         "sender of the last message that arrived before the round of a server or peer closed: the "
         "one that it waited for longest, unless a deadline closed the round; with "
         "``--uplink=air`` "
         "the last of those in the slot",
         [](const ResultRow& row) {
             return row.record.last >= 0 ? std::to_string(row.record.last) : "";
         },
         true},
        {"energy_j",
         "J",
         "only where energy is measured: joules that the node has spent since its row before; "
         "empty where they are not known",
         Write(&ResultRow::energy),
         true},
        {"battery_j",
         "J",
         "only where there are batteries: joules that are left",
         Write(&ResultRow::battery),
         true},
        {"queue_s",
         "s",
         "only on p2p, CSMA and Wi-Fi devices, as the next three: time since its row before, or "
         "since its first round opened, in which the learner did not compute, no device of its "
         "node sent, and packets waited there, also for the medium",
         Write(&RoundPhases::queue),
         true},
        {"air_s",
         "s",
         "time in which it did not compute and a device sent, among others, something for the "
         "first time; packets of other programs on the node and acknowledgements count, too",
         Write(&RoundPhases::air),
         true},
        {"retransmission_s",
         "s",
         "time in which it did not compute and devices sent only frames of Wi-Fi or segments of "
         "TCP again",
         Write(&RoundPhases::again),
         true},
        {"wait_s",
         "s",
         "the rest: it waited for others, was down, or computed for a round that a crash ended",
         Write(&RoundPhases::wait),
         true},
        {"reported_samples",
         "",
         "only of clients that report it with their updates (``Reports``), as the next three: "
         "number of samples",
         Write(&R::samples),
         true},
        {"reported_steps", "", "gradient steps of the round", Write(&R::steps), true},
        {"reported_loss",
         "",
         "mean loss of the received model over the samples of the round",
         Write(&R::loss),
         true},
        {"reported_seconds", "s", "time of the training", Write(&R::seconds), true},
        {"truncated",
         "",
         "only of a server with ``--uplink=air``: lost updates that were not sent, because the "
         "client's channel was too weak, the update was not finite, or a budget forbade the slot",
         Write(&R::truncated),
         true},
        {"clip",
         "",
         "only of a server with ``--adaptive-clip``: norm to which the updates of the round are "
         "clipped",
         Write(&R::clip),
         true}};
    columns.insert(columns.end(), more.begin(), more.end());
    AddMetrics(columns, true);
    return columns;
}

/** @return the columns that a file with these rows has, in their order */
std::vector<RoundsColumn>
ChooseColumns(const std::vector<ResultRow>& rows)
{
    std::vector<RoundsColumn> chosen;
    for (const RoundsColumn& column : GetRoundsColumns())
    {
        if (!column.measured || std::any_of(rows.begin(), rows.end(), [&column](const auto& row) {
                return !column.write(row).empty();
            }))
        {
            chosen.push_back(column);
        }
    }
    std::set<std::string> own;
    for (const ResultRow& row : rows)
    {
        if (row.evaluation)
        {
            for (const auto& [name, value] : row.evaluation->own)
            {
                own.insert(name);
            }
        }
    }
    for (const std::string& name : own)
    {
        chosen.push_back({name, "", "", [name](const ResultRow& row) {
                              return row.evaluation && row.evaluation->own.count(name) > 0
                                         ? FormatShortest(row.evaluation->own.at(name))
                                         : "";
                          }});
    }
    return chosen;
}

} // namespace

const std::vector<Metric>&
GetMetrics()
{
    static const std::vector<Metric> metrics{
        {"loss",
         &Evaluation::loss,
         "objective at the node's model, over all data that all learners have seen; for a server, "
         "over all training data"},
        {"accuracy",
         &Evaluation::accuracy,
         "share of the test samples that are classified correctly"},
        {"error",
         &Evaluation::error,
         "squared distance to the best model for these data, of convex losses with at most 2000 "
         "parameters; linear-gaussian: to the true model; ``dlearn-gradient-tracking``: squared "
         "norm of the gradient, of any loss"},
        {"consensus", &Evaluation::consensus, "squared distance to the mean model of the learners"},
        {"regret",
         &Evaluation::regret,
         "only of online learners, which are peers of ``dlearn-ldp-online`` with an ``error`` and "
         "without ``--evaluation-samples``: instantaneous regret, the loss above that of the best "
         "model for these data; see :doc:`observation`",
         true},
        {"attack_success",
         &Evaluation::attackSuccess,
         "only with ``--attack=Backdoor``: share of the test samples of other classes than its "
         "target that the node's model classifies as the target, once they have the pattern",
         true},
        {"client_accuracy_mean",
         &Evaluation::clientAccuracyMean,
         "only of a server with ``--client-test``, as all that follow: mean over the clients of "
         "the accuracy of each client's model on its own test samples",
         true},
        {"client_accuracy_sd",
         &Evaluation::clientAccuracySd,
         "standard deviation over the clients",
         true},
        {"client_accuracy_worst_tenth",
         &Evaluation::clientAccuracyWorstTenth,
         "mean over the tenth of the clients with the lowest accuracy, at least one client",
         true},
        {"client_accuracy_jain",
         &Evaluation::clientAccuracyJain,
         "Jain's index, 1 when all clients have the same accuracy",
         true},
        {"client_loss_mean",
         &Evaluation::clientLossMean,
         "instead of these four where there are no classes: mean over the clients of the loss, "
         "without regularization",
         true},
        {"client_loss_sd", &Evaluation::clientLossSd, "standard deviation", true},
        {"client_loss_worst_tenth",
         &Evaluation::clientLossWorstTenth,
         "mean over the tenth of the clients with the highest loss",
         true},
        {"client_loss_jain", &Evaluation::clientLossJain, "Jain's index", true}};
    return metrics;
}

const std::vector<RoundsColumn>&
GetRoundsColumns()
{
    static const std::vector<RoundsColumn> columns = MakeColumns();
    return columns;
}

void
RequireNewMetrics(const std::vector<std::string>& names)
{
    const auto ends = [](const std::string& name, const std::string& end) {
        return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
    };
    std::set<std::string> taken{"learners", "delivered"};
    for (const RoundsColumn& column : GetRoundsColumns())
    {
        taken.insert(column.name);
    }
    for (const std::string& name : names)
    {
        Require(taken.insert(name).second && !ends(name, "_low") && !ends(name, "_high"),
                "a metric must have another name than the results' own columns and than those "
                "before it, and not end in _low or _high; got {}",
                name);
    }
}

bool
IsClosedRound(const ResultRow& row)
{
    const RoundRecord& record = row.record;
    return row.role == "server" || record.expected > 0 || !record.duration.IsZero() ||
           !record.compute.IsZero();
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
    const auto key = [](const ResultRow* row) {
        return std::tie(row->record.closed, row->record.node, row->record.round);
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
    for (const RoundsColumn& column : columns)
    {
        text += (text.empty() ? "" : ",") + column.name;
    }
    text += "\n";
    for (const ResultRow* row : SortRows(rows))
    {
        std::string line;
        for (const RoundsColumn& column : columns)
        {
            line += (line.empty() ? "" : ",") + column.write(*row);
        }
        text += line + "\n";
    }
    return text;
}

} // namespace ns3::dlearn
