/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PEER_OPTIONS_H
#define DLEARN_PEER_OPTIONS_H

#include "dlearn-peer-privacy.h"
#include "dlearn-scenario-options.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The options of programs for peers.
 */
struct PeerOptions : ScenarioOptions
{
    /** @param program name of the program, for results/PROGRAM */
    explicit PeerOptions(std::string program);

    void Validate() const override;

    std::string algorithm{"ldp-online"}; //!< ldp-online, dsgd, dola, pdop, ...
    uint32_t learners{5};                //!< number of learners; 0 as many as a GraphML file has
    std::string graph{"ring"};           //!< see GraphByName()
    std::string weight{"0.3"};           //!< see WeightsByName()
    uint32_t batch{20};                  //!< new samples a round
    double initial{0};                   //!< standard deviation of what initial models get added
    double noise{1};                     //!< multiplies the base noise
    double noiseExponent{0.1};           //!< growth of the noise: learner i = 1, 2, ... has
    double noiseExponentStep{0.01};      //!< (t+1)^(noiseExponent + noiseExponentStep i)
    PeerPrivacy privacy;                 //!< noise, unit of protection, delta
    std::string missing{"skip"};         //!< skip, last or wait
    std::string synchrony{"rounds"};     //!< see SynchronyOption
    uint32_t byzantine{0};               //!< number of learners that may be Byzantine
    std::string attack{"none"};          //!< what the last of them do: see LearnerAttack
    bool omniscient{true};               //!< whether attackers see all honest vectors
    std::string aggregator{"none"};      //!< see ParseAggregator(); none for the weighted sum
    std::string pre;                     //!< see AddPreAggregators(); empty for none
    bool missingAreByzantine{false};     //!< whether a missing message is one of the lies

  protected:
    std::vector<ScenarioOption> List() override;
};

} // namespace ns3::dlearn

#endif // DLEARN_PEER_OPTIONS_H
