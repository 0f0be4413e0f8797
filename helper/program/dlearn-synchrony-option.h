/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SYNCHRONY_OPTION_H
#define DLEARN_SYNCHRONY_OPTION_H

#include "dlearn-scenario-options.h"

#include "ns3/dlearn-round-policy.h"
#include "ns3/nstime.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Whether peers go through the rounds together, as a user of a program writes it:
 *
 *  - rounds: together; deadline and quorum say when a round closes;
 *  - async: each on its own, as fast as it computes (AsynchronousPolicy);
 *  - async:PERIOD: likewise, but a round of each takes at least PERIOD, such as 20ms.
 */
class SynchronyOption
{
  public:
    /**
     * @param text one of the above
     * @throw std::invalid_argument naming the text and what it may be
     */
    explicit SynchronyOption(const std::string& text);

    /**
     * Refuse what asynchronous peers have no use for.
     *
     * @param options with deadline and quorum
     * @param missing what a missing message means
     * @throw std::invalid_argument when one of them is given, too, or messages are waited for
     */
    void Validate(const ScenarioOptions& options, const std::string& missing = "skip") const;

    /** @return whether AsynchronousPolicy is the RoundPolicy of the peers */
    bool IsAsynchronous() const;

    /** @param policy an AsynchronousPolicy, gets its attributes */
    void Apply(RoundPolicy& policy) const;

  private:
    bool m_asynchronous{false}; //!< each on its own
    Time m_period;              //!< shortest time of a round then
};

} // namespace ns3::dlearn

#endif // DLEARN_SYNCHRONY_OPTION_H
