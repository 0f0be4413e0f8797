/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_PLAN_H
#define DLEARN_TRACKING_PLAN_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Scale of a noise by round: sigma_k = base (k+1)^exponent.
 */
struct TrackingNoise
{
    double base{1};     //!< sigma_0
    double exponent{0}; //!< of (k+1)
};

/**
 * @ingroup dlearn
 * What a scheme comes to for a planned number of rounds; all but the noise stays the same in
 * every round.
 */
struct TrackingPlan
{
    uint32_t rounds{0};    //!< K, planned number of rounds
    double alpha{0};       //!< alpha_K, coupling of the states
    double beta{0};        //!< beta_K, coupling of the trackers
    double gamma{0};       //!< gamma_K, step along the tracker
    uint32_t samples{1};   //!< m_K, different samples of a gradient
    TrackingNoise state;   //!< sigma_k^zeta
    TrackingNoise tracker; //!< sigma_k^eta
};

/**
 * @ingroup dlearn
 * Constants of SchemeS1. The defaults are those of section 4.1 of the paper (with K = 2000: alpha
 * 0.04, beta 0.005, gamma 0.05, 53 samples).
 */
struct SchemeS1Constants
{
    double a1{72};         //!< of alpha
    double a2{0.95};       //!< of beta
    double a3{98};         //!< of gamma
    double a4{0.00007};    //!< of the samples
    double pAlpha{0.987};  //!< exponent of alpha
    double pBeta{0.69};    //!< exponent of beta
    double pGamma{0.997};  //!< exponent of gamma
    double pSamples{1.78}; //!< exponent of the samples, p_m
    double pState{0.1};    //!< exponent of the state's noise, p_zeta
    double pTracker{0.1};  //!< exponent of the tracker's noise, p_eta
};

/**
 * @ingroup dlearn
 * Constants of SchemeS2. The defaults are those of section 4.1 of the paper (with K = 2000: 55
 * samples).
 */
struct SchemeS2Constants
{
    double alpha{0.1};       //!< alpha
    double beta{0.01};       //!< beta
    double gamma{0.1};       //!< gamma
    double pSamples{1.002};  //!< base of the samples, p_m
    double pState{0.9996};   //!< base of the state's noise, p_zeta
    double pTracker{0.9996}; //!< base of the tracker's noise, p_eta
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_PLAN_H
