/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-reader.h"

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

namespace ns3::dlearn
{

namespace
{

using Json = nlohmann::ordered_json;

/**
 * @tparam Whole type of the number, unsigned
 * @param value of a member
 * @param what the number is and where it is, for messages
 * @return the number
 */
template <typename Whole>
Whole
GetWhole(const Json& value, const std::string& what)
{
    // The library would convert a negative number, or one that is too large, to another one.
    Require(value.is_number_unsigned(),
            what,
            " must be a whole number of at least 0, got ",
            value.dump());
    constexpr Whole LARGEST = std::numeric_limits<Whole>::max();
    Require(value.get<uint64_t>() <= LARGEST,
            what,
            " must be at most ",
            LARGEST,
            ", got ",
            value.dump());
    return value.get<Whole>();
}

/** Reads the members of a summary.json. */
class Summary
{
  public:
    /** @param path of the file */
    explicit Summary(const std::string& path)
        : m_path(path),
          m_json(Json::parse(ReadTextFile(path), nullptr, false))
    {
        Require(m_json.is_object(), path, ": is not the summary.json of a run: no JSON object");
    }

    /**
     * @param name of a member
     * @return whether it is there
     */
    bool Has(const std::string& name) const { return m_json.contains(name); }

    /**
     * @tparam Value type of the member
     * @param name of the member
     * @return its value
     */
    template <typename Value>
    Value Get(const std::string& name) const
    {
        Require(m_json.contains(name), m_path, ": no member '", name, "'");
        if constexpr (std::is_unsigned_v<Value>)
        {
            return GetWhole<Value>(m_json[name], m_path + ": member '" + name + "'");
        }
        try
        {
            return m_json[name].get<Value>();
        }
        catch (const Json::exception&)
        {
            Require(false, m_path, ": member '", name, "' is damaged: ", m_json[name].dump());
            throw;
        }
    }

    /**
     * @param name of a member that holds texts by name
     * @return names and texts, in their order
     */
    std::vector<std::pair<std::string, std::string>> GetTexts(const std::string& name) const
    {
        std::vector<std::pair<std::string, std::string>> texts;
        const Json object = Get<Json>(name);
        Require(object.is_object(), m_path, ": member '", name, "' must be an object");
        for (const auto& [key, value] : object.items())
        {
            Require(value.is_string(), m_path, ": '", key, "' of '", name, "' must be a text");
            texts.emplace_back(key, value.template get<std::string>());
        }
        return texts;
    }

    /** @return rows that rounds.csv had when the run ended */
    uint64_t GetClosedRounds() const
    {
        const Json totals = Get<Json>("totals");
        Require(totals.is_object() && totals.contains("closed_rounds"),
                m_path,
                ": member 'totals' is damaged: no 'closed_rounds'");
        return GetWhole<uint64_t>(totals["closed_rounds"],
                                  m_path + ": 'closed_rounds' of 'totals'");
    }

    /** @return epsilon of each learner at the end */
    std::map<LearnerId, double> GetEpsilons() const
    {
        const Json final = Get<Json>("final");
        Require(final.is_object() && final.contains("epsilon") && final["epsilon"].is_object(),
                m_path,
                ": member 'final' is damaged: no object 'epsilon'");
        std::map<LearnerId, double> epsilons;
        for (const auto& [key, value] : final["epsilon"].items())
        {
            const auto learner = ParseWholeNumber(key);
            const bool unbounded = value == "inf";
            Require(learner && (unbounded || value.is_null() || value.is_number()),
                    m_path,
                    ": member 'final' is damaged: epsilon of learner ",
                    key,
                    " is ",
                    value.dump());
            epsilons[*learner] = unbounded           ? INFINITY
                                 : value.is_number() ? value.template get<double>()
                                                     : Evaluation::NONE;
        }
        return epsilons;
    }

  private:
    std::string m_path; //!< of the file
    Json m_json;        //!< what is in it
};

/** @return a number of a line of results.jsonl; NaN when it is not there */
double
GetNumber(const Json& line, const char* name)
{
    const Json value = line.value(name, Json());
    return value == "inf" ? INFINITY : value.is_number() ? value.get<double>() : Evaluation::NONE;
}

/**
 * @param path of results.jsonl
 * @param results with rows; get what was spent until the end of each evaluated round
 */
void
ReadSpent(const std::string& path, RunResults& results)
{
    LineReader reader(path);
    std::string text;
    while (reader.Next(text))
    {
        const Json line = Json::parse(text, nullptr, false);
        Require(line.is_object() && line.contains("round") && line["round"].is_number_unsigned(),
                reader.GetPlace(),
                ": must be a JSON object with the number of a round, got '",
                text,
                "'");
        const auto round = GetWhole<uint32_t>(line["round"], reader.GetPlace() + ": round");
        Require(results.spent.count(round) == 0,
                reader.GetPlace(),
                ": round ",
                round,
                " is there twice");
        results.spent[round] = {GetNumber(line, "epsilon"), GetNumber(line, "epsilon_nominal")};
        const auto getBytes = [&](const char* name) {
            return GetWhole<uint64_t>(line.value(name, Json(0U)), reader.GetPlace() + ": " + name);
        };
        results.resources[round] = {getBytes("tx_bytes"),
                                    getBytes("rx_bytes"),
                                    GetNumber(line, "energy_j")};
    }
    for (const ResultRow& row : results.rows)
    {
        const uint32_t round = row.record.round;
        Require(!row.evaluation || results.spent.count(round) > 0,
                path,
                ": must have a line for each evaluated round of rounds.csv, round ",
                round,
                " has none");
    }
}

} // namespace

RunResults
ReadResults(const std::string& directory)
{
    const std::filesystem::path folder(directory);
    std::error_code error;
    const bool isFolder = std::filesystem::is_directory(folder, error);
    Require(isFolder || error != std::errc::permission_denied,
            directory,
            ": cannot be read: ",
            error.message());
    Require(isFolder, directory, ": is not a directory");
    for (const char* name : {"summary.json", "rounds.csv"})
    {
        const bool there = std::filesystem::exists(folder / name, error);
        Require(!error, directory, ": cannot be read: ", error.message());
        Require(there, directory, ": is not a results directory: it has no ", name);
    }
    const Summary summary((folder / "summary.json").string());
    RunResults results;
    results.program = summary.Get<std::string>("program");
    results.command = summary.Get<std::string>("command");
    results.status = summary.Get<std::string>("status");
    results.seed = summary.Get<uint64_t>("seed");
    results.run = summary.Get<uint64_t>("run");
    results.parameters = summary.GetTexts("parameters");
    if (summary.Has("without_effect")) // else an older version has written it
    {
        results.withoutEffect = summary.Get<std::set<std::string>>("without_effect");
    }
    const auto attributes = summary.GetTexts("attributes");
    results.attributes.insert(attributes.begin(), attributes.end());
    const auto globals = summary.GetTexts("globals");
    results.globals.insert(globals.begin(), globals.end());
    results.warnings = summary.Get<std::vector<std::string>>("warnings");
    results.epsilon = summary.GetEpsilons();
    results.simulatedSeconds = summary.Get<double>("simulated_s");
    const std::string rounds = (folder / "rounds.csv").string();
    results.rows = ReadRoundsCsv(rounds);
    const uint64_t closed = summary.GetClosedRounds();
    Require(results.rows.size() == closed,
            rounds,
            ": must have as many rows as 'closed_rounds' of summary.json says, ",
            closed,
            ", got ",
            results.rows.size());
    if (const auto lines = folder / "results.jsonl"; std::filesystem::exists(lines, error))
    {
        ReadSpent(lines.string(), results);
    }
    return results;
}

} // namespace ns3::dlearn
