/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-writer.h"

#include "dlearn-page.h"
#include "dlearn-results-json.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-npy-file.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <utility>

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

/** Columns of a CSV file: their names, and what writes a field of them. */
template <typename Row>
using Columns = std::vector<std::pair<std::string, std::function<std::string(const Row&)>>>;

/** @return the text of a CSV file */
template <typename Row>
std::string
MakeCsv(const std::vector<Row>& rows, const Columns<Row>& columns)
{
    std::string text;
    for (const auto& [name, write] : columns)
    {
        text += (text.empty() ? "" : ",") + name;
    }
    text += "\n";
    for (const Row& row : rows)
    {
        for (const auto& [name, write] : columns)
        {
            text += write(row) + ",";
        }
        text.back() = '\n';
    }
    return text;
}

/** @return a field that may be empty */
template <typename Whole>
std::string
Write(const std::optional<Whole>& number)
{
    return number ? std::to_string(*number) : "";
}

/** @return the text of events.csv */
std::string
MakeEventsCsv(const std::vector<RunEvent>& timeline)
{
    using E = RunEvent;
    return MakeCsv<E>(timeline,
                      {{"time_s", [](const E& e) { return FormatSeconds(e.time); }},
                       {"node", [](const E& e) { return Write(e.node); }},
                       {"round", [](const E& e) { return Write(e.round); }},
                       {"event", [](const E& e) { return EscapeCsv(e.event); }},
                       {"detail", [](const E& e) { return EscapeCsv(e.detail); }}});
}

/** @return the text of pairs.csv */
std::string
MakePairsCsv(const std::vector<PairRecord>& pairs)
{
    using P = PairRecord;
    return MakeCsv<P>(
        pairs,
        {{"from", [](const P& p) { return std::to_string(p.from); }},
         {"to", [](const P& p) { return std::to_string(p.to); }},
         {"expected", [](const P& p) { return std::to_string(p.expected); }},
         {"received", [](const P& p) { return std::to_string(p.received); }},
         {"late", [](const P& p) { return std::to_string(p.late); }},
         {"lost", [](const P& p) { return std::to_string(p.lost); }},
         {"latency_ms_mean", [](const P& p) { return FormatShortest(p.GetMeanLatency()); }}});
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
    using P = PositionRecord;
    return MakeCsv<P>(motion,
                      {{"time_s", [](const P& p) { return FormatSeconds(p.time); }},
                       {"node", [](const P& p) { return std::to_string(p.node); }},
                       {"x_m", [](const P& p) { return FormatShortest(p.position.x); }},
                       {"y_m", [](const P& p) { return FormatShortest(p.position.y); }},
                       {"z_m", [](const P& p) { return FormatShortest(p.position.z); }}});
}

/** @return the text of links.csv */
std::string
MakeLinksCsv(const std::vector<LinkRecord>& links)
{
    using L = LinkRecord;
    return MakeCsv<L>(links,
                      {{"link", [](const L& l) { return l.link; }},
                       {"from", [](const L& l) { return l.from; }},
                       {"to", [](const L& l) { return l.to; }},
                       {"tx_bytes", [](const L& l) { return std::to_string(l.txBytes); }},
                       {"drops_queue", [](const L& l) { return std::to_string(l.queueDrops); }},
                       {"drops_loss", [](const L& l) { return Write(l.loss); }},
                       {"retransmissions", [](const L& l) { return Write(l.again); }},
                       {"queue_ms_mean", [](const L& l) { return FormatShortest(l.queueMean); }},
                       {"queue_ms_p99", [](const L& l) { return FormatShortest(l.queueWorst); }},
                       {"rate_mbps", [](const L& l) { return FormatShortest(l.rate); }},
                       {"snr_db", [](const L& l) { return FormatShortest(l.snr); }},
                       {"busy_share", [](const L& l) { return FormatShortest(l.busy); }}});
}

/** @return the text of results.jsonl */
std::string
MakeResultsText(const RunResults& results)
{
    std::string text;
    for (const ResultsJson& line : MakeResultsLines(results))
    {
        text += DumpJson(line) + "\n";
    }
    return text;
}

/** @return the text of summary.json */
std::string
MakeSummaryText(const RunResults& results)
{
    ResultsJson json = MakeSummary(results, Summarize(results));
    json["wall_s"] = results.wallSeconds;
    const double speed = static_cast<double>(results.events) / results.wallSeconds;
    json["events_per_wall_s"] = std::isfinite(speed) ? ResultsJson(speed) : ResultsJson();
    return DumpJson(json, 2) + "\n";
}

} // namespace

ResultsFiles
MakeResultsFiles(const RunResults& results)
{
    const auto makeModels = [](const std::vector<ModelVector>& models) {
        return models.empty() ? std::nullopt : std::optional(MakeNpy(models));
    };
    return {{"rounds.csv", MakeRoundsCsv(results.rows)},
            {"results.jsonl", MakeResultsText(results)},
            {"events.csv", MakeEventsCsv(results.timeline)},
            {"links.csv", MakeLinksCsv(results.links)},
            {"pairs.csv", MakePairsCsv(results.pairs)},
            {"labels.csv", MakeLabelsCsv(results)},
            {"positions.csv", MakePositionsCsv(results.motion)},
            {"summary.json", MakeSummaryText(results)},
            {"model.npy",
             results.model.size() == 0 ? std::nullopt : std::optional(MakeNpy(results.model))},
            {"models.npy", makeModels(results.models)},
            {"personal.npy", makeModels(results.personal)},
            {"report.html", MakePage({{"this run", results}})}};
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
        OutputFile(directory + "/" + name).Write(text.value_or(""));
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
