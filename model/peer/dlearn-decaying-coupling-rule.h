/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DECAYING_COUPLING_RULE_H
#define DLEARN_DECAYING_COUPLING_RULE_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the rules share that couple states on a slower and slower scale than that of the
 * gradient: with lambda_t = StepSize / (t+1)^StepExponent and
 * gamma_t = Coupling / (t+1)^CouplingExponent,
 *
 *   theta_{t+1}^i = Proj( theta_t^i + sum_j gamma_t w_ij (y_t^j - theta_t^i) - lambda_t d_t^i ),
 *
 * where y is theta as it was sent, with noise, and the sum runs over what arrived. A rule derived
 * from it says what the gradient d_t averages over and which noise there is.
 */
class DecayingCouplingRule : public PeerRule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    /** Defaults of the attributes that AddSchedules() makes. */
    struct Schedules
    {
        double stepSize;         //!< lambda_0
        double stepExponent;     //!< v
        double coupling;         //!< gamma_0
        double couplingExponent; //!< u
    };

    /**
     * Add the attributes StepSize, StepExponent, Coupling and CouplingExponent to a rule.
     *
     * @param tid of the rule
     * @param defaults its defaults
     * @return the TypeId with the attributes
     */
    static TypeId AddSchedules(TypeId tid, const Schedules& defaults);

    void CheckAttributes() const override;
    double GetStepSize(uint32_t round) const final;
    double GetCoupling(uint32_t round) const final;
    StateRecursion GetRecursion() const final;
    ModelVector Move(const Inbox& inbox) const final;

    double m_stepSize{0};         //!< attribute StepSize
    double m_stepExponent{0};     //!< attribute StepExponent
    double m_coupling{0};         //!< attribute Coupling
    double m_couplingExponent{0}; //!< attribute CouplingExponent
};

} // namespace ns3::dlearn

#endif // DLEARN_DECAYING_COUPLING_RULE_H
