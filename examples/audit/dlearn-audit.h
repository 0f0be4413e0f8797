/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_AUDIT_H
#define DLEARN_AUDIT_H

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The result of many audited runs of one algorithm. A ratio is the privacy loss in the account over
 * the true one, the smallest of a run; runs in which no message revealed anything count as 1.
 */
struct AuditResult
{
    /** Largest ratio that is fine where accounts have to be exact. */
    static constexpr double LARGEST = 1.05;

    std::string algorithm; //!< its name
    uint32_t runs{0};      //!< how many
    double worst{1};       //!< smallest ratio of all runs; NaN when one is
    double median{1};      //!< median of the runs' ratios
    double largest{NAN};   //!< of all learners, where accounts have to be exact; else NaN

    /**
     * @return whether no account is below the truth, up to a part of 1e-9 for rounding, or above
     *         LARGEST where it has to be exact
     */
    bool IsGood() const;
};

/** Simulates one run and gives its ratio; its argument is the number of ns-3's run. */
using AuditRun = std::function<double(uint64_t run)>;

/**
 * @ingroup dlearn
 * @param algorithm name, for the result
 * @param runs how many, at least 1
 * @param first number of ns-3's first run; the others follow
 * @param audit simulates one
 * @return the result
 */
AuditResult Audit(const std::string& algorithm,
                  uint32_t runs,
                  uint64_t first,
                  const AuditRun& audit);

/**
 * @ingroup dlearn
 * @return the names of all algorithms that can be audited
 */
std::vector<std::string> GetAuditedAlgorithms();

/**
 * @ingroup dlearn
 * Audit an algorithm as it is.
 *
 * @param algorithm one of GetAuditedAlgorithms()
 * @param runs how many, at least 1
 * @param run number of ns3's run, from which everything random follows: no two numbers have a
 *        simulated run in common
 * @param faults whether runs have faults, as DrawFaults() draws them
 * @return the result; the worst ratio is 0 when the noise does not have the distribution that its
 *         mechanism claims
 * @throw std::invalid_argument naming the algorithms that there are
 */
AuditResult AuditAlgorithm(const std::string& algorithm,
                           uint32_t runs,
                           uint64_t run,
                           bool faults = false);

} // namespace ns3::dlearn

#endif // DLEARN_AUDIT_H
