/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PRIVACY_ACCOUNT_H
#define DLEARN_PRIVACY_ACCOUNT_H

#include "ns3/object.h"

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What anybody may ask of the privacy account of one learner: how much it has spent. How it is
 * told what happened depends on the kind of noise and algorithm: PrivacyLedger, RenyiLedger.
 *
 * Every account is kept twice: nominal, as the paper plans it, and realised, what truly left
 * the node and was truly received.
 */
class PrivacyAccount : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    /** @return realised epsilon so far; may be infinite */
    virtual double GetEpsilon() const = 0;

    /** @return nominal epsilon so far; may be infinite */
    virtual double GetNominalEpsilon() const = 0;

    /** @return largest realised epsilon that the learner may spend; 0 for no limit */
    virtual double GetBudget() const = 0;
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_PRIVACY_ACCOUNT_H
