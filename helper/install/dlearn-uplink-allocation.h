/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPLINK_ALLOCATION_H
#define DLEARN_UPLINK_ALLOCATION_H

#include "dlearn-federated-helper.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <vector>

namespace ns3::dlearn
{

/** What the server knows of the update that a client of a round will send. @ingroup dlearn */
struct UplinkNeed
{
    double bits{0};  //!< of the update, with headers
    double rate{0};  //!< bit/s with the whole band, greater than 0
    double begin{0}; //!< seconds after the opening of the round at which the update is ready
};

/**
 * @ingroup dlearn
 * How a server divides the band of the uplinks among the clients of a round, which send their
 * updates at the same time in separate parts of it (FDMA): with the share s of the band, a client
 * has s times the rate that it has with the whole band, at the same spectral efficiency.
 */
class UplinkAllocation : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param needs of the clients of a round, at least one
     * @return their shares, greater than 0, with the sum 1
     */
    virtual std::vector<double> Share(const std::vector<UplinkNeed>& needs) const = 0;
};

/** All clients have the same share. @ingroup dlearn */
class EqualAllocation : public UplinkAllocation
{
  public:
    static TypeId GetTypeId();

    std::vector<double> Share(const std::vector<UplinkNeed>& needs) const override;
};

/** Shares are proportional to the time that an update needs with the whole band, so that all send
 *  for the same time. @ingroup dlearn */
class ProportionalAllocation : public UplinkAllocation
{
  public:
    static TypeId GetTypeId();

    std::vector<double> Share(const std::vector<UplinkNeed>& needs) const override;
};

/**
 * @ingroup dlearn
 * All updates arrive at the same time T, which is the least possible: share i is
 * bits_i / (rate_i (T - begin_i)), and T the root of the sum of the shares minus 1 (Shi, Zhou, Niu,
 * "Device scheduling with fast convergence for wireless federated learning", ICC 2020).
 */
class MinimalTimeAllocation : public UplinkAllocation
{
  public:
    static TypeId GetTypeId();

    std::vector<double> Share(const std::vector<UplinkNeed>& needs) const override;
};

/**
 * @ingroup dlearn
 * The least energy of sending with constant power when the round has a deadline: the sum of
 * bits_i / (rate_i s_i) is least for s_i = max(l_i, c sqrt(bits_i / rate_i)), where the update of
 * client i arrives by the deadline from the share l_i on, and c makes the sum 1 (Lagrange). If the
 * deadline cannot be kept, as MinimalTimeAllocation.
 */
class MinimalEnergyAllocation : public UplinkAllocation
{
  public:
    static TypeId GetTypeId();

    std::vector<double> Share(const std::vector<UplinkNeed>& needs) const override;

  private:
    Time m_deadline; //!< attribute Deadline
};

/**
 * @ingroup dlearn
 * Let a server divide a band among the uplinks of its clients, anew when a round opens. The rate
 * of a client's point-to-point link is that of the whole band; the downlinks keep it. The server
 * knows the training times that clients forecast; the decision reaches clients at once, without
 * messages. A client that is not in the round keeps its last share.
 *
 * @param federation its applications are connected; they live as long as the simulation
 * @param allocation divides the band
 * @throw std::invalid_argument when a client has another kind of link, or rounds are asynchronous
 */
void AllocateUplinks(const Federation& federation, Ptr<UplinkAllocation> allocation);

} // namespace ns3::dlearn

#endif // DLEARN_UPLINK_ALLOCATION_H
