/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STALENESS_POLICY_H
#define DLEARN_STALENESS_POLICY_H

#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What an update is worth that was made from an old model: the weight s(tau), where tau is the
 * number of versions that the server's model is ahead of the one that the client was given.
 * s(0) = 1 for all policies. The forms are those of Xie, Koyejo, Gupta (FedAsync, 2019).
 */
class StalenessPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /** @throw std::invalid_argument when an attribute is out of its range */
    virtual void CheckAttributes() const;

    /**
     * @param staleness tau
     * @return s(tau), from 0 (discard the update) to 1; another weight ends the run with a message
     */
    virtual double GetWeight(uint32_t staleness) const = 0;
};

/**
 * @ingroup dlearn
 * Only fresh updates count: s(tau) = 0 for tau > 0.
 */
class DiscardStale : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();

    double GetWeight(uint32_t staleness) const override { return staleness == 0 ? 1 : 0; }
};

/**
 * @ingroup dlearn
 * All updates are worth the same: s(tau) = 1.
 */
class ConstantStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();
    double GetWeight(uint32_t staleness) const override;
};

/**
 * @ingroup dlearn
 * s(tau) = (1 + tau)^(-Exponent). With Exponent 1/2 that is FedBuff's 1 / sqrt(1 + tau).
 */
class PolynomialStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();
    void CheckAttributes() const override;
    double GetWeight(uint32_t staleness) const override;

  private:
    double m_exponent{0.5}; //!< attribute Exponent
};

/**
 * @ingroup dlearn
 * s(tau) = 1 up to tau = Limit, then 1 / (Slope (tau - Limit) + 1).
 */
class HingeStaleness : public StalenessPolicy
{
  public:
    static TypeId GetTypeId();
    void CheckAttributes() const override;

    double GetWeight(uint32_t staleness) const override
    {
        return staleness <= m_limit ? 1 : 1 / (m_slope * (staleness - m_limit) + 1);
    }

  private:
    uint32_t m_limit{4}; //!< attribute Limit
    double m_slope{10};  //!< attribute Slope
};

} // namespace ns3::dlearn

#endif // DLEARN_STALENESS_POLICY_H
