/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_GROUPS_H
#define DLEARN_RUN_GROUPS_H

#include "dlearn-evaluated-rounds.h"

#include "ns3/dlearn-run-results.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run and what to call it beside others.
 */
struct NamedRun
{
    std::string name;   //!< runs of the same name differ in their random numbers only
    RunResults results; //!< of the run

    /** @param warnings get those of the run, each after its name */
    void AppendWarnings(std::vector<std::string>& warnings) const;
};

/**
 * @ingroup dlearn
 * Where the time goes in the rounds of the learners of one role: means, in seconds.
 */
struct RoundTimes
{
    double compute{0};  //!< they compute
    RoundPhases phases; //!< they do not; unknown unless that of all of them is known
    double rest{0};     //!< they do not compute, all together
};

/**
 * @ingroup dlearn
 * Runs that differ in their random numbers only.
 */
struct RunGroup
{
    /** One of the runs. */
    struct Member
    {
        uint64_t seed{0};                          //!< RngSeed
        uint64_t run{0};                           //!< RngRun
        std::string status;                        //!< complete, interrupted or failed
        double epsilon{Evaluation::NONE};          //!< largest that a learner had spent in the end
        std::vector<EvaluatedRound> rounds;        //!< what it achieved
        std::map<std::string, RoundTimes> times{}; //!< by role

        /** @return whether it ended by itself; else its last round is none that others compare to
         */
        bool IsComplete() const { return status == "complete"; }
    };

    std::string name;                                          //!< what to call them
    std::vector<std::pair<std::string, std::string>> settings; //!< all that may differ from others
    std::vector<Member> members;                               //!< by seed, then run
    std::map<std::string, std::string> idle{};                 //!< parameters without effect
};

/**
 * @ingroup dlearn
 * @param runs in any order
 * @return a group for each name, in the order of their first runs
 * @throw std::invalid_argument naming two runs of a group that have the same seed and run
 */
std::vector<RunGroup> GroupRuns(const std::vector<NamedRun>& runs);

/**
 * @ingroup dlearn
 * The settings of a run that its random numbers and the place of its results do not depend on:
 * program, parameters that have an effect, attributes and global values.
 *
 * @param results of the run
 * @return names and values
 */
std::vector<std::pair<std::string, std::string>> GetSettings(const RunResults& results);

/**
 * @ingroup dlearn
 * @param name of a setting
 * @return whether it is an option of privacy alone
 */
bool IsPrivacySetting(const std::string& name);

/**
 * @ingroup dlearn
 * @param groups some
 * @return names of the settings that differ between them, or that only some of them have; not those
 *         without effect in some, if their value is the same there
 */
std::vector<std::string> FindDifferences(const std::vector<RunGroup>& groups);

/**
 * @ingroup dlearn
 * Name each run by settings that others have not, as few as it takes to tell them apart:
 * `loss=0.1 network=p2p`.
 *
 * @param runs their names are replaced
 */
void NameByDifferences(std::vector<NamedRun>& runs);

/**
 * @ingroup dlearn
 * @param group any group
 * @return whether a run of it says what its learners spent in joules
 */
bool HasEnergy(const RunGroup& group);

/**
 * @ingroup dlearn
 * @param group any group
 * @return how many of its runs are complete
 */
size_t CountComplete(const RunGroup& group);

/**
 * @ingroup dlearn
 * @param groups any
 * @return that some of their runs are left out as they are not complete, in a sentence without its
 *         full stop; empty when all are complete
 */
std::string DescribeLeftOut(const std::vector<RunGroup>& groups);

/**
 * @ingroup dlearn
 * @param group any group
 * @param metric name of a metric
 * @return the last mean of each member, NaN where there is none or the member is not complete
 */
std::vector<double> GetFinals(const RunGroup& group, const std::string& metric);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_GROUPS_H
