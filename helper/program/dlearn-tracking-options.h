/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_OPTIONS_H
#define DLEARN_TRACKING_OPTIONS_H

#include "dlearn-peer-privacy.h"
#include "dlearn-scenario-options.h"

#include "ns3/dlearn-tracking-scheme.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The options of programs for peers on directed graphs: gradient tracking, and what it is
 * compared with.
 *
 * The wire has 64-bit numbers unless asked otherwise, as every rounding of a tracker is mass that
 * is lost or made; and features are not scaled, as the steps of the literature are for data as
 * they are.
 */
struct TrackingOptions : ScenarioOptions
{
    /** @param program name of the program, for results/PROGRAM */
    explicit TrackingOptions(std::string program);

    void Validate() const override;

    /** @return whether the algorithm is gradient tracking, with noise or without */
    bool IsTracking() const;

    /** @return factor on all noise: the option noise, or 0 for gt */
    double GetNoise() const;

    /** @return what the user says about the scheme */
    TrackingChoice GetChoice() const;

    /**
     * @return what the scheme comes to; the rounds of a run are 0 to K, so K is one less than
     *         the option rounds
     * @throw std::invalid_argument naming the option and its value
     */
    TrackingPlan GetPlan() const;

    std::string algorithm{"dp-gt"};        //!< see TrackingScenario
    std::string scheme{"s1"};              //!< s1, s2 or free
    double alpha{0};                       //!< coupling of states; 0 for the scheme's
    double beta{0};                        //!< coupling of trackers; 0 for the scheme's
    double gamma{0};                       //!< step along the tracker; 0 for the scheme's
    uint32_t samples{0};                   //!< samples of a gradient; 0 for the scheme's
    std::string stateNoiseExponent;        //!< p_zeta; empty for the scheme's
    std::string trackerNoiseExponent;      //!< p_eta; empty for the scheme's
    uint32_t learners{5};                  //!< number of learners; 0 as many as a file has
    std::string stateGraph{"exponential"}; //!< see MakeTrackingGraphs()
    std::string trackerGraph{"same"};      //!< likewise; same for that of the states
    std::string powers{"23"};              //!< radio: see DrawPowers()
    std::string compensation{"none"};      //!< none or running-sum
    double initial{0};                     //!< standard deviation of what initial models get added
    double noise{1};                       //!< multiplies the noise of the scheme
    PeerPrivacy privacy;                   //!< noise, unit of protection, delta
    double smoothness{-1};                 //!< L of the account; negative: what the task knows
    std::string missing{"skip"};           //!< skip, last or wait
    std::string synchrony{"rounds"};       //!< see SynchronyOption

  protected:
    std::vector<ScenarioOption> List() override;
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_OPTIONS_H
