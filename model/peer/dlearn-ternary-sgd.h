/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TERNARY_SGD_H
#define DLEARN_TERNARY_SGD_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Private stochastic gradient descent by quantisation: the update of MixAndDescend() with the
 * gradient of the newest batch, where what a learner sends is theta with every entry rounded at
 * random to -s, 0 or s (TernaryQuantizer). No other noise is added: the rounding is the privacy.
 *
 * Source: Wang and Basar, "Quantization enabled privacy protection in decentralized stochastic
 * optimization", IEEE Trans. Autom. Control 68(7), 2023. The paper on gradient tracking cites it as
 * [39] and says that its cumulative delta reaches 1 after 800 iterations (Fig. 6b). Only its
 * abstract and that remark were available: they say that ternary rounding gives differential
 * privacy, with a delta and no epsilon. The update, the threshold and the formula of the account
 * (LdpOnlineTheorem5Ledger, and NoiseLaw::TERNARY in PrivacyLosses) are those of this module.
 * Its epsilon is 0 while the deltas of all releases are at most the attribute Delta, else infinite.
 *
 * With BaseScale 0 of the quantiser, theta is sent as it is, and delta is 1. The message holds
 * plain numbers nevertheless, unless a compressor packs them.
 */
class TernarySgd : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::COUPLED; }

    ModelVector Move(const Inbox& inbox) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_TERNARY_SGD_H
