/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_PLANNER_H
#define DLEARN_PRIVACY_PLANNER_H

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-program.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * The part of dlearn-privacy for one algorithm: its options, and its output.
 */

namespace ns3::dlearn
{

/** The options of one algorithm and the plan that they make. */
class PrivacyPlanner
{
  public:
    virtual ~PrivacyPlanner() = default;

    /** @param arguments gets the options; their values are kept here */
    virtual void AddOptions(ProgramArguments& arguments) = 0;

    /**
     * Print the plan of the options: lines for people begin with '#', all others are
     * name=value.
     *
     * @throw std::invalid_argument when an option is wrong
     */
    virtual void Print() const = 0;

    /** Names of options, and what each of them needs to have an effect and is not there. */
    using Useless = std::vector<std::pair<std::string, std::string>>;

    /** @return the options that have no effect beside the others */
    virtual Useless FindUseless() const = 0;
};

/** @return the planner of LDP-OL */
std::unique_ptr<PrivacyPlanner> MakeLdpOnlinePlanner();

/** @return the planner of CafCor */
std::unique_ptr<PrivacyPlanner> MakeCafCorPlanner();

/** @return the planner of FedAvg */
std::unique_ptr<PrivacyPlanner> MakeFedAvgPlanner();

/** @return the planner of DP-GT */
std::unique_ptr<PrivacyPlanner> MakeGradientTrackingPlanner();

/**
 * Options are signed so that -1 is refused and does not wrap.
 *
 * @param name of the option
 * @param value its value
 * @param least smallest value that is fine
 * @param most largest value that is fine
 * @return the value
 * @throw std::invalid_argument when it is neither
 */
uint32_t RequireCount(const std::string& name, int64_t value, int64_t least, int64_t most);

/**
 * @param name of the option
 * @param value its value
 * @throw std::invalid_argument when it is not finite and at least 0
 */
void RequireAtLeastZero(const std::string& name, double value);

/**
 * Set what the plans of all federations have.
 *
 * @tparam Plan FedAvgPlan or CafCorPlan
 * @param plan gets the values
 * @param clip option clip
 * @param rounds option rounds
 * @param delta option delta
 * @throw std::invalid_argument when one of them is out of range
 */
template <typename Plan>
void
SetClippedRounds(Plan& plan, double clip, int64_t rounds, double delta)
{
    Require(std::isfinite(clip) && clip > 0,
            "--clip must be finite and greater than 0, got ",
            clip);
    plan.clip = clip;
    plan.rounds = RequireCount("rounds", rounds, 1, 1000000000);
    Require(delta > 0 && delta < 1, "--delta must be in (0, 1), got ", delta);
    plan.delta = delta;
}

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_PLANNER_H
