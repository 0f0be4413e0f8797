/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-links.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr size_t LEARNER_LIMIT = 50; //!< lines, and columns

/** @return the learners of some pairs by number, at most so many: those that miss most */
std::vector<LearnerId>
ChooseLearners(const std::vector<PairRecord>& pairs, size_t& all)
{
    std::map<LearnerId, uint64_t> missing;
    for (const PairRecord& pair : pairs)
    {
        missing[pair.from] += pair.late + pair.lost;
        missing[pair.to] += pair.late + pair.lost;
    }
    std::vector<LearnerId> chosen;
    for (const auto& [learner, count] : missing)
    {
        chosen.push_back(learner);
    }
    all = chosen.size();
    std::stable_sort(chosen.begin(), chosen.end(), [&missing](LearnerId a, LearnerId b) {
        return missing[a] > missing[b];
    });
    chosen.resize(std::min(chosen.size(), LEARNER_LIMIT));
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

} // namespace

PageJson
MakeLinksPart(const std::vector<PairRecord>& pairs)
{
    if (pairs.empty())
    {
        return nullptr;
    }
    size_t all = 0;
    const auto learners = ChooseLearners(pairs, all);
    std::map<std::pair<LearnerId, LearnerId>, const PairRecord*> records; // receiver first
    for (const PairRecord& pair : pairs)
    {
        records[{pair.to, pair.from}] = &pair;
    }
    PageJson lines = PageJson::array();
    for (const LearnerId to : learners)
    {
        PageJson cells = PageJson::array();
        for (const LearnerId from : learners)
        {
            const auto found = records.find({to, from});
            if (found == records.end())
            {
                cells.push_back(nullptr);
                continue;
            }
            const PairRecord& pair = *found->second;
            cells.push_back(PageJson::array({pair.expected,
                                             pair.received,
                                             pair.late,
                                             pair.lost,
                                             MakePlotNumber(pair.GetMeanLatency())}));
        }
        lines.push_back({{"node", to}, {"cells", cells}});
    }
    std::string title = "Messages of each link, of those that left their sender";
    title += all > learners.size() ? ": the " + std::to_string(learners.size()) + " of " +
                                         std::to_string(all) + " learners that miss most"
                                   : "";
    return {{"type", "heat"},
            {"title", title},
            {"columns", learners},
            {"size", 1},
            {"lines", lines}};
}

} // namespace ns3::dlearn
