/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_SCHEME_H
#define DLEARN_TRACKING_SCHEME_H

#include "dlearn-tracking-plan.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

struct TrackingNetwork;

/**
 * @ingroup dlearn
 * How DP-GT (GradientTracking) chooses its constants from the planned number of rounds K.
 */
class TrackingScheme
{
  public:
    virtual ~TrackingScheme() = default;

    /**
     * @param rounds K
     * @return the constants
     * @throw std::invalid_argument when a parameter is out of its range, or m_K beyond 2^32 - 1
     */
    virtual TrackingPlan GetPlan(uint32_t rounds) const = 0;

    /**
     * @param plan of GetPlan(), or changed by hand
     * @param network graphs and constants of the task
     * @return conditions of the theory that do not hold, or cannot be checked, each with its
     *         name in the paper and the values
     */
    virtual std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                                    const TrackingNetwork& network) const = 0;
};

/**
 * @ingroup dlearn
 * Scheme (S1) of Chen, Wang and Zhang, section 3.2: polynomially small steps, polynomially many
 * samples, noise that may grow:
 *
 *   alpha = a1/(K+1)^pAlpha, beta = a2/(K+1)^pBeta, gamma = a3/(K+1)^pGamma,
 *   m_K = floor(a4 K^pSamples) + 1, sigma_k = (k+1)^p.
 */
struct SchemeS1 : public TrackingScheme, public SchemeS1Constants
{
    TrackingPlan GetPlan(uint32_t rounds) const override;
    std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                            const TrackingNetwork& network) const override;
};

/**
 * @ingroup dlearn
 * Scheme (S2) of the same section: constant steps, exponentially many samples, noise that is the
 * same in all rounds of a run:
 *
 *   m_K = floor(pSamples^K) + 1, sigma_k = p^K.
 */
struct SchemeS2 : public TrackingScheme, public SchemeS2Constants
{
    TrackingPlan GetPlan(uint32_t rounds) const override;
    std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                            const TrackingNetwork& network) const override;
};

/**
 * @ingroup dlearn
 * Constants that do not depend on K, and noise sigma_k = (k+1)^p. No theorem of the paper is
 * about it.
 */
struct FreeScheme : public TrackingScheme
{
    TrackingPlan GetPlan(uint32_t rounds) const override;
    std::vector<std::string> FindViolations(const TrackingPlan& plan,
                                            const TrackingNetwork& network) const override;

    double alpha{0.5};    //!< alpha
    double beta{0.5};     //!< beta
    double gamma{0.05};   //!< gamma
    uint32_t samples{1};  //!< m
    double pState{0.1};   //!< exponent of the state's noise
    double pTracker{0.1}; //!< exponent of the tracker's noise
};

/**
 * @ingroup dlearn
 * What a user says about a scheme; what is left out is the scheme's own.
 */
struct TrackingChoice
{
    std::string scheme{"s1"};         //!< s1, s2 or free
    double alpha{0};                  //!< instead of the scheme's alpha_K; 0 for the scheme's
    double beta{0};                   //!< instead of the scheme's beta_K; 0 for the scheme's
    double gamma{0};                  //!< instead of the scheme's gamma_K; 0 for the scheme's
    int64_t samples{0};               //!< instead of the scheme's m_K; 0 for the scheme's
    std::string stateNoiseExponent;   //!< p_zeta as text; empty for the scheme's
    std::string trackerNoiseExponent; //!< p_eta as text; empty for the scheme's

    /**
     * @return the scheme
     * @throw std::invalid_argument naming the option and its value
     */
    std::unique_ptr<TrackingScheme> MakeScheme() const;

    /**
     * @param rounds K
     * @return what the scheme comes to, with the user's own values in place of its
     * @throw std::invalid_argument naming the option and its value
     */
    TrackingPlan GetPlan(uint32_t rounds) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_SCHEME_H
