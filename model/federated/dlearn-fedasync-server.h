/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FEDASYNC_SERVER_H
#define DLEARN_FEDASYNC_SERVER_H

#include "dlearn-server-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Mixing a client's model into the server's as it arrives (FedAsync: Xie, Koyejo, Gupta, 2019):
 *
 *   w <- (1 - a s_i) w + a s_i w_i,
 *
 * with a = Mixing and s_i the weight of the update's staleness. A client's model w_i is the one
 * that it was given plus its update. Several updates at once are mixed in one after the other.
 */
class FedAsyncServer : public ServerRule
{
  public:
    static TypeId GetTypeId();
    double GetFlops(size_t updates) const override;

  protected:
    void CheckAttributes() const override;
    ModelVector Move(const std::vector<ClientUpdate>& updates) override;

  private:
    double m_mixing{0.6}; //!< attribute Mixing
};

} // namespace ns3::dlearn

#endif // DLEARN_FEDASYNC_SERVER_H
