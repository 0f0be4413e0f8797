/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_PRIVACY_H
#define DLEARN_PEER_PRIVACY_H

#include "dlearn-scenario-options.h"

#include "ns3/dlearn-noise-law.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What programs for peers let a user say about privacy, whatever the algorithm: which noise, what
 * is protected, and delta. Empty values leave what the algorithm has.
 */
struct PeerPrivacy
{
    std::string mechanism; //!< laplace, gaussian or ternary
    std::string unit;      //!< sample, batch or learner: see PrivacyUnit
    double delta{0};       //!< of epsilon; 0: the attribute Delta of PrivacyAccount

    /** @return the options, bound to this object */
    std::vector<ScenarioOption> List();

    /** @throw std::invalid_argument naming the first value that is wrong */
    void Validate() const;

    /**
     * @param law of the noise that is added in the end
     * @throw std::invalid_argument when delta was given and the account has none
     */
    void RequireDeltaCounts(NoiseLaw law) const;

    /**
     * Give them to a rule, before any of its parts is made.
     *
     * @param rule with an attribute PrivacyUnit, and NoiseMechanism or StateNoise and
     *        TrackerNoise; rules without them refuse all but empty values
     * @throw std::invalid_argument when a value has no effect on this rule
     */
    void Apply(UpdateRule& rule) const;

    /** @param account gets its Delta, if one was given */
    void ApplyDelta(PrivacyAccount& account) const;
};

/**
 * @ingroup dlearn
 * @param option name of the option, for the message
 * @param name laplace, gaussian or ternary
 * @return the mechanism whose noise starts at BaseScale and grows by GrowthExponent
 * @throw std::invalid_argument when the name is none of them
 */
TypeId GetNoiseMechanism(const std::string& option, const std::string& name);

/**
 * @ingroup dlearn
 * @param option name of the option, for the message
 * @param name sample, batch or learner
 * @return the PrivacyUnit
 * @throw std::invalid_argument when the name is none of them
 */
TypeId GetPrivacyUnit(const std::string& option, const std::string& name);

} // namespace ns3::dlearn

#endif // DLEARN_PEER_PRIVACY_H
