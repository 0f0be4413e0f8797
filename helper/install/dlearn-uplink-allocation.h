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
    double rate{0};  //!< bit/s with the whole band and all power, greater than 0
    double begin{0}; //!< seconds after the opening of the round at which the update is ready
};

/**
 * @ingroup dlearn
 * How a server divides the band of the uplinks among the clients of a round, which send their
 * updates at the same time in separate parts of it (FDMA), or by turns (shares of the air of
 * Wi-Fi): with the share s of the band, a client has s times the rate that it has with the whole
 * band, at the same spectral efficiency. A part of a band is lost when its client does not send;
 * air is not.
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
 * How a server chooses the transmission power of a client of a round.
 */
class UplinkPower : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param need of the client
     * @param share of the band, greater than 0
     * @param modes of its Uplink, with powers
     * @return one of them, perhaps with more power, at most that of the last one
     */
    virtual UplinkMode Choose(const UplinkNeed& need,
                              double share,
                              const std::vector<UplinkMode>& modes) const = 0;
};

/** The least power with the highest rate that all power has, and a margin. @ingroup dlearn */
class HighestRatePower : public UplinkPower
{
  public:
    static TypeId GetTypeId();

    UplinkMode Choose(const UplinkNeed& need,
                      double share,
                      const std::vector<UplinkMode>& modes) const override;

  protected:
    /** @return the mode without the margin */
    virtual UplinkMode Pick(const UplinkNeed& need,
                            double share,
                            const std::vector<UplinkMode>& modes) const;

  private:
    double m_margin; //!< attribute Margin
};

/**
 * @ingroup dlearn
 * The least radiated energy, watts bits / (share rate), with which the update arrives by the
 * deadline; HighestRatePower if none does. As power grows faster than the rate, p = (2^(R/B) - 1) N
 * B / g, this is a low rate (Yang, Chen, Saad, Hong, Shikh-Bahaei, "Energy efficient federated
 * learning over wireless communication networks", IEEE TWC 2021), here the best of the rates that
 * the radio has.
 */
class MinimalEnergyPower : public HighestRatePower
{
  public:
    static TypeId GetTypeId();

  protected:
    UplinkMode Pick(const UplinkNeed& need,
                    double share,
                    const std::vector<UplinkMode>& modes) const override;

  private:
    Time m_deadline; //!< attribute Deadline
};

/**
 * @ingroup dlearn
 * Let a server divide a band among the uplinks of its clients, and set their powers, anew when a
 * round opens. The rate of a client's point-to-point link is that of the whole band; the downlinks
 * keep it. The server knows the places of radios and the training times that clients forecast; the
 * decision reaches clients at once, without messages. A client that is not in the round keeps its
 * last share and power.
 *
 * @param federation its applications are connected; they live as long as the simulation
 * @param network carries it
 * @param allocation divides the band; null: shares stay, and powers are for equal ones
 * @param power chooses powers; null: all power
 * @throw std::invalid_argument when the network cannot set an uplink, or rounds are asynchronous
 */
void AllocateUplinks(const Federation& federation,
                     Ptr<Network> network,
                     Ptr<UplinkAllocation> allocation,
                     Ptr<UplinkPower> power);

} // namespace ns3::dlearn

#endif // DLEARN_UPLINK_ALLOCATION_H
