/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_ACCOUNT_H
#define DLEARN_PRIVACY_ACCOUNT_H

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The privacy account of one learner: how much it has spent, and how much it may spend. How an
 * account learns what happened depends on the algorithm: PrivacyLedger for peers that send their
 * state, GradientTrackingLedger for those that send a tracker, too, GaussianLedger for workers of a
 * server.
 *
 * Every account is kept twice:
 *
 * - nominal: as the paper plans it, every message is sent and every neighbour's message arrives in
 *   every round in which the learner takes part;
 * - realised: what actually left the node and was actually received. A release that has been handed
 * to the network counts as sent until it is known that it never left.
 *
 * Epsilon is pure while all noise is of Laplace's law, and holds together with the attribute Delta
 * otherwise. Accounts never see data, models or noise, only events, and refuse with
 * std::invalid_argument those that they cannot account for.
 *
 * They are accounts of algorithms with ideal real-valued noise. This program's noise comes from a
 * reproducible generator and does not protect data.
 */
class PrivacyAccount : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return realised epsilon so far; may be infinite */
    virtual double GetEpsilon() const = 0;

    /** @return nominal epsilon so far; may be infinite */
    virtual double GetNominalEpsilon() const = 0;

    /** @return largest realised epsilon that the learner may spend; 0 for no limit */
    double GetBudget() const { return m_budget; }

    /** @return the attribute Delta */
    double GetDelta() const { return m_delta; }

  protected:
    /** @return whether what the account counts on cannot change any more; no unless overridden */
    virtual bool HasBegun() const { return false; }

    /**
     * Refuse another value of an attribute that the account counts on, once it has begun.
     *
     * @param attribute its name
     * @param same whether the value is the one that it has
     * @throw std::invalid_argument when it is another one
     */
    void RequireSame(const std::string& attribute, bool same) const;

    /** @throw std::invalid_argument when an attribute is out of its range */
    void CheckAttributes() const;

    /**
     * @param epsilon realised epsilon after a release
     * @return whether that is within the budget, up to a part of 1e-9 for rounding
     */
    bool IsWithinBudget(double epsilon) const
    {
        return m_budget == 0 || epsilon <= m_budget * (1 + 1e-9);
    }

    /**
     * Refuse events whose rounds do not increase.
     *
     * @param event what came, with its article, for the message
     * @param round its round
     * @param next first round that may still come
     * @throw std::invalid_argument when the round is smaller than that
     */
    void RequireIncreasing(const char* event, uint32_t round, uint64_t next) const;

    /** @return the name of the account, for messages */
    std::string GetName() const;

  private:
    /** @param delta the attribute Delta */
    void SetDelta(double delta);

    double m_budget{0};   //!< attribute Budget
    double m_delta{1e-4}; //!< attribute Delta
};

} // namespace ns3::dlearn

#endif // DLEARN_PRIVACY_ACCOUNT_H
