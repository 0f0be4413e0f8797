/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-writer.h"

#include "dlearn-evaluated-rounds.h"
#include "dlearn-html-report.h"
#include "dlearn-results-summary.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-version.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>

#if __has_include(<sys/file.h>)
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace ns3::dlearn
{

namespace
{

using Json = nlohmann::ordered_json;

/**
 * @param epsilon an epsilon
 * @return it for JSON: null for NaN, "inf" for infinity
 */
Json
MakeEpsilon(double epsilon)
{
    if (std::isinf(epsilon))
    {
        return FormatShortest(epsilon);
    }
    return std::isnan(epsilon) ? Json() : Json(epsilon);
}

/**
 * @param value a number
 * @return it for JSON: null unless it is finite
 */
Json
MakeNumber(double value)
{
    return std::isfinite(value) ? Json(value) : Json();
}

/** @return a number by learner, round or neighbour for JSON */
template <typename Key, typename Value>
Json MakeConstant(const std::map<Key, Value>& values);

/** @return a number for JSON; "inf" for infinity */
Json
MakeConstant(double value)
{
    return MakeEpsilon(value);
}

/** @return a name for JSON */
Json
MakeConstant(const std::string& value)
{
    return value;
}

/** @return numbers by round for JSON */
Json
MakeConstant(const std::vector<double>& values)
{
    Json list = Json::array();
    for (const double value : values)
    {
        list.push_back(MakeConstant(value));
    }
    return list;
}

template <typename Key, typename Value>
Json
MakeConstant(const std::map<Key, Value>& values)
{
    Json object = Json::object();
    for (const auto& [key, value] : values)
    {
        if constexpr (std::is_same_v<Key, std::string>)
        {
            object[key] = MakeConstant(value);
        }
        else
        {
            object[std::to_string(key)] = MakeConstant(value);
        }
    }
    return object;
}

/**
 * @param constants of the accounts
 * @return the member `privacy`
 */
Json
MakePrivacy(const PrivacyConstants& constants)
{
    Json privacy = Json::object();
    for (const auto& [name, constant] : constants)
    {
        privacy[name] = std::visit([](const auto& value) { return MakeConstant(value); }, constant);
    }
    return privacy;
}

/**
 * @param summary of the rows
 * @param results of the whole run
 * @return the member `totals`
 */
Json
MakeTotals(const ResultsSummary& summary, const RunResults& results)
{
    Json totals;
    totals["nodes"] = summary.nodes;
    totals["closed_rounds"] = summary.rows;
    totals["expected"] = summary.expected;
    totals["received"] = summary.received;
    totals["used"] = summary.used;
    totals["rejected"] = summary.rejected;
    totals["late"] = summary.late;
    totals["lost"] = summary.lost;
    totals["tx_bytes"] = summary.txBytes;
    totals["rx_bytes"] = summary.rxBytes;
    for (const auto& [name, count] : results.totals)
    {
        totals[name] = count;
    }
    if (!results.energy.empty())
    {
        totals["energy_j"] = results.GetTotalEnergy();
    }
    return totals;
}

/**
 * @param summary of the rows
 * @param results of the whole run
 * @return the member `final`
 */
Json
MakeFinal(const ResultsSummary& summary, const RunResults& results)
{
    Json final;
    final["rounds"] = summary.rounds;
    final["time_s"] = MakeNumber(summary.last.time.GetSeconds());
    final["learners"] = summary.last.learners;
    final["loss"] = MakeConstant(summary.final.loss);
    final["accuracy"] = MakeConstant(summary.final.accuracy);
    final["error"] = MakeConstant(summary.final.error);
    final["consensus"] = MakeConstant(summary.final.consensus);
    final["delivered"] = MakeConstant(summary.delivered);
    final["epsilon_max"] = MakeEpsilon(summary.epsilonMax);
    Json epsilon = Json::object();
    for (const auto& [node, value] : summary.epsilon)
    {
        epsilon[std::to_string(node)] = MakeEpsilon(value);
    }
    final["epsilon"] = epsilon;
    if (!results.energy.empty())
    {
        final["energy_j"] = MakeConstant(results.energy);
    }
    if (!results.battery.empty())
    {
        final["battery_j"] = MakeConstant(results.battery);
    }
    if (!std::isnan(summary.final.regret))
    {
        final["regret"] = MakeConstant(summary.final.regret);
    }
    return final;
}

/** @return the text of events.csv */
std::string
MakeEventsCsv(const std::vector<RunEvent>& timeline)
{
    std::string text = "time_s,node,round,event,detail\n";
    for (const RunEvent& event : timeline)
    {
        text += FormatSeconds(event.time) + ",";
        text += (event.node ? std::to_string(*event.node) : "") + ",";
        text += (event.round ? std::to_string(*event.round) : "") + ",";
        text += EscapeCsv(event.event) + "," + EscapeCsv(event.detail) + "\n";
    }
    return text;
}

/** @return the text of pairs.csv */
std::string
MakePairsCsv(const std::vector<PairRecord>& pairs)
{
    std::string text = "from,to,expected,received,late,lost,latency_ms_mean\n";
    for (const PairRecord& pair : pairs)
    {
        text += std::to_string(pair.from) + "," + std::to_string(pair.to) + "," +
                std::to_string(pair.expected) + "," + std::to_string(pair.received) + "," +
                std::to_string(pair.late) + "," + std::to_string(pair.lost) + "," +
                FormatShortest(pair.GetMeanLatency()) + "\n";
    }
    return text;
}

/** @return the text of labels.csv */
std::string
MakeLabelsCsv(const RunResults& results)
{
    std::string text = "node,label,samples\n";
    for (const auto& [node, counts] : results.samples)
    {
        for (size_t k = 0; k < counts.size(); ++k)
        {
            text += std::to_string(node) + "," + EscapeCsv(results.labels[k]) + "," +
                    std::to_string(counts[k]) + "\n";
        }
    }
    return text;
}

/** @return the text of positions.csv */
std::string
MakePositionsCsv(const std::vector<PositionRecord>& motion)
{
    std::string text = "time_s,node,x_m,y_m,z_m\n";
    for (const PositionRecord& record : motion)
    {
        text += FormatSeconds(record.time) + "," + std::to_string(record.node) + "," +
                FormatShortest(record.position.x) + "," + FormatShortest(record.position.y) + "," +
                FormatShortest(record.position.z) + "\n";
    }
    return text;
}

/** @return the text of links.csv */
std::string
MakeLinksCsv(const std::vector<LinkRecord>& links)
{
    const auto count = [](const std::optional<uint64_t>& number) {
        return number ? std::to_string(*number) : "";
    };
    std::string text = "link,from,to,tx_bytes,drops_queue,drops_loss,retransmissions,"
                       "queue_ms_mean,queue_ms_p99,busy_share\n";
    for (const LinkRecord& link : links)
    {
        text += link.link + "," + link.from + "," + link.to + "," + std::to_string(link.txBytes) +
                "," + std::to_string(link.queueDrops) + "," + count(link.loss) + "," +
                count(link.again) + "," + FormatShortest(link.queueMean) + "," +
                FormatShortest(link.queueWorst) + "," + FormatShortest(link.busy) + "\n";
    }
    return text;
}

/** @return texts by name, for JSON */
template <typename Texts>
Json
MakeTexts(const Texts& texts)
{
    Json object = Json::object();
    for (const auto& [name, value] : texts)
    {
        object[name] = value;
    }
    return object;
}

/** @return the text of summary.json */
std::string
MakeSummaryJson(const RunResults& results)
{
    const auto summary = Summarize(results);
    Json json;
    json["program"] = results.program;
    json["dlearn_version"] = DLEARN_VERSION;
    json["ns3_version"] = DLEARN_NS3_VERSION;
    json["command"] = results.command;
    json["status"] = results.status;
    if (!results.reason.empty())
    {
        json["reason"] = results.reason;
    }
    json["seed"] = results.seed;
    json["run"] = results.run;
    json["parameters"] = MakeTexts(results.parameters);
    json["without_effect"] = results.withoutEffect;
    json["attributes"] = MakeTexts(results.attributes);
    json["globals"] = MakeTexts(results.globals);
    json["warnings"] = results.warnings;
    json["totals"] = MakeTotals(summary, results);
    json["conserved"] = summary.conserved;
    json["final"] = MakeFinal(summary, results);
    for (const auto& [name, value] : results.figures)
    {
        json[name] = MakeNumber(value);
    }
    if (!results.privacy.empty())
    {
        json["privacy"] = MakePrivacy(results.privacy);
    }
    json["ready_s"] = MakeNumber(results.readySeconds);
    json["simulated_s"] = MakeNumber(results.simulatedSeconds);
    json["events"] = results.events;
    json["wall_s"] = MakeNumber(results.wallSeconds);
    json["events_per_wall_s"] =
        MakeNumber(static_cast<double>(results.events) / results.wallSeconds);
    // Text of a user need not be UTF-8: replace what is not rather than lose the summary.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

void
WriteRoundsCsv(const std::string& path, const std::vector<ResultRow>& rows)
{
    WriteTextFile(path, MakeRoundsCsv(rows));
}

void
WriteSummaryJson(const std::string& path, const RunResults& results)
{
    WriteTextFile(path, MakeSummaryJson(results));
}

ResultsFiles
MakeResultsFiles(const RunResults& results)
{
    return {{"rounds.csv", MakeRoundsCsv(results.rows)},
            {"results.jsonl", MakeResultsLines(results)},
            {"events.csv", MakeEventsCsv(results.timeline)},
            {"links.csv", MakeLinksCsv(results.links)},
            {"pairs.csv", MakePairsCsv(results.pairs)},
            {"labels.csv", MakeLabelsCsv(results)},
            {"positions.csv", MakePositionsCsv(results.motion)},
            {"summary.json", MakeSummaryJson(results)},
            {"report.html", MakeHtmlReport(results)}};
}

void
MakeResultsDirectory(const std::string& directory)
{
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    // A file in the place of the directory is an error in some versions of libstdc++ only.
    std::error_code ignored;
    if (error || !std::filesystem::is_directory(directory, ignored))
    {
        throw std::runtime_error("cannot create the results directory '" + directory +
                                 "': " + (error ? error.message() : "it is not a directory"));
    }
}

ResultsDirectory::ResultsDirectory()
{
    s_all.push_back(this);
}

ResultsDirectory::ResultsDirectory(const std::string& directory)
    : ResultsDirectory()
{
    Add(directory);
}

ResultsDirectory::~ResultsDirectory()
{
    for (const std::string& folder : m_made)
    {
        std::error_code ignored; // such as that it is not empty
        std::filesystem::remove(folder, ignored);
    }
#ifdef LOCK_EX
    for (const int lock : m_locks)
    {
        close(lock); // not before what was made is removed, or another program may lock that
    }
#endif
    s_all.erase(std::find(s_all.begin(), s_all.end(), this));
}

void
ResultsDirectory::Add(const std::string& directory)
{
    do
    {
        std::vector<std::string> made;
        std::error_code ignored;
        for (auto folder = std::filesystem::absolute(directory);
             !std::filesystem::exists(folder, ignored);
             folder = folder.parent_path())
        {
            made.push_back(folder.string());
        }
        m_made.insert(m_made.begin(), made.begin(), made.end());
        MakeResultsDirectory(directory);
    } while (!Lock(directory));
}

bool
ResultsDirectory::Lock([[maybe_unused]] const std::string& directory)
{
#ifdef LOCK_EX
    const int lock = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
    {
        return errno != ENOENT; // it may have been made and removed by another one
    }
    m_locks.push_back(lock);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0)
    {
        if (errno == EWOULDBLOCK)
        {
            throw std::runtime_error("the results directory '" + directory +
                                     "' is in use by another run that has not ended");
        }
        return true; // the file system has no locks
    }

    struct stat locked
    {
    };

    struct stat there
    {
    };

    return fstat(lock, &locked) == 0 && stat(directory.c_str(), &there) == 0 &&
           locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
#else
    return true;
#endif
}

void
ResultsDirectory::RemoveEmpty()
{
#ifdef LOCK_EX
    for (const ResultsDirectory* const directory : s_all)
    {
        for (const std::string& folder : directory->m_made)
        {
            rmdir(folder.c_str());
        }
    }
#endif
}

void
TryResultsDirectory(const std::string& directory)
{
    const ResultsDirectory made(directory);
    for (const auto& [name, text] : MakeResultsFiles(RunResults()))
    {
        OutputFile(directory + "/" + name).Write(*text);
    }
}

void
WriteResultsFiles(const std::string& directory, const ResultsFiles& files)
{
    MakeResultsDirectory(directory);
    ResultsFiles paths;
    for (const auto& [name, text] : files)
    {
        paths[(std::filesystem::path(directory) / name).string()] = text;
    }
    WriteTextFiles(paths);
}

void
WriteResults(const std::string& directory, const RunResults& results)
{
    WriteResultsFiles(directory, MakeResultsFiles(results));
}

} // namespace ns3::dlearn
