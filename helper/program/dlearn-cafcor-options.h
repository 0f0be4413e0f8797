/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAFCOR_OPTIONS_H
#define DLEARN_CAFCOR_OPTIONS_H

#include "dlearn-scenario-options.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The options of programs for CafCor: a server and workers, some of them Byzantine, with noise
 * that is correlated between workers. The server is learner 0, the workers are learners 1 to n,
 * the Byzantine ones the last of them.
 */
struct CafCorOptions : ScenarioOptions
{
    /** @param program name of the program, for results/PROGRAM */
    explicit CafCorOptions(std::string program);

    void Validate() const override;

    /** @return whether privacy protects each sample, so that gradients of samples are clipped */
    bool ProtectsSamples() const;

    uint32_t workers{20};               //!< n
    uint32_t byzantine{2};              //!< f, as the server and the account believe
    std::string attack{"none"};         //!< what the last f workers do: see LearnerAttack
    bool omniscient{true};              //!< whether attackers see all honest vectors
    std::string byzantineData{"own"};   //!< what Byzantine workers learn from: own or shards
    bool missingAreByzantine{false};    //!< whether a missing message is one of the f lies
    std::string aggregator{"Caf"};      //!< see ParseAggregator()
    std::string pre;                    //!< see AddPreAggregators(); empty for none
    uint32_t batch{50};                 //!< b, samples of a worker in a round
    double stepSize{0.075};             //!< gamma
    double momentum{0.85};              //!< beta
    double clip{2.25};                  //!< C, of the mean gradient of a batch
    std::string threatModel{"secldp"};  //!< see ParseThreatModel(); or none
    std::string view{"transcript"};     //!< see ParseThreatModel()
    double epsilon{27.8};               //!< target, from which the noise follows
    double delta{1e-4};                 //!< of epsilon
    std::string unit{"learner"};        //!< what privacy protects: learner or sample
    double budget{0};                   //!< epsilon after which a worker stops; 0 for none
    std::string pairing{"joint"};       //!< how shared noise is drawn: joint or pairwise
    bool repair{false};                 //!< whether shared noise of the lost is taken away
    std::string responseTimeout{"30s"}; //!< longest wait for an answer

  protected:
    std::vector<ScenarioOption> List() override;
};

} // namespace ns3::dlearn

#endif // DLEARN_CAFCOR_OPTIONS_H
