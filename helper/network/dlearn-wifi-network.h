/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_NETWORK_H
#define DLEARN_WIFI_NETWORK_H

#include "dlearn-radio-routing.h"
#include "dlearn-shared-network.h"

#include "ns3/qos-txop.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

namespace ns3::dlearn
{

/** @return the letters of the IEEE 802.11 standards of WifiNetwork, for messages */
std::string GetWifiStandardNames();

/** @return ns-3's rate managers: constant-rate, minstrel-ht, ideal, ... */
const ComponentFamily& GetRateManagerFamily();

/** @return ns-3's propagation loss models: log-distance, friis, nakagami, ... */
const ComponentFamily& GetPathLossFamily();

/**
 * @ingroup dlearn
 * Base class of Wi-Fi networks: positions, mobility, and IEEE 802.11 on one channel.
 *
 * Learners are in a square, at NetworkSetup::positions or uniformly at random, and move according
 * to the attribute Mobility.
 *
 * The radio: 5 GHz, 23 dBm, 7 dB noise figure, path loss 46.7 dB at one metre with exponent 3,
 * preamble detection at -82 dBm. So nodes receive each other up to a distance of 88 m, which covers
 * the diagonal of a square of 60 m. A preset, by default n or legacy, selects the transmission
 * parameters; attributes change them individually. Broadcast data frames are sent at 24 Mbit/s,
 * beacons at 6 Mbit/s, and unicast data frames with a constant rate at 24 Mbit/s (802.11n and
 * later: MCS 3, 26 Mbit/s for 802.11n). These rates do not reduce the range: at -82 dBm the signal
 * is 12 dB above the noise, where frames of 1500 bytes at 24 or 26 Mbit/s arrive with a probability
 * of 99.99 %.
 *
 * ============  =========  ==========  ============  =============  ==============  ==============
 * preset        standard   width, MHz  rates         streams        A-MPDU, bytes   A-MSDU, bytes
 * ============  =========  ==========  ============  =============  ==============  ==============
 * n             802.11n    20          ideal         2              65535           3839
 * ac            802.11ac   80          ideal         2              65535           3839
 * ax            802.11ax   80          ideal         2              65535           3839
 * legacy        802.11n    20          constant      1              0 (off)         7935, or 3839
 * p             802.11p    10          constant      1              no              no
 * ============  =========  ==========  ============  =============  ==============  ==============
 *
 * The preset p is that of vehicles, 802.11p in the mode outside the context of a BSS (OCB, WAVE):
 * data at 6 Mbit/s, slots of 13 us, SIFS of 32 us, and AIFS of 6 slots for best effort. Vehicles do
 * not associate, and do not change between channels. A learner with a VehicleMobility neither
 * receives nor is received while its vehicle is not there.
 *
 * The guard interval of the others is 0.8 us. Values that no attribute sets, such as the power, are
 * defaults of dlearn: where a user has changed the default of an attribute of ns-3, the user's
 * value applies.
 *
 * Packets to one neighbour are aggregated: to A-MPDUs with block acknowledgement, on which both
 * sides agree before the first one is sent (KeepBlockAcks()), or, with legacy, to A-MSDUs with an
 * ordinary acknowledgement.
 *
 * Packets do not expire in queues: a burst waits until it can be sent. They expire after a second
 * only if a radio may leave and frames to it would be repeated without end. A unicast frame is
 * dropped after the retry limit; a neighbour out of range costs the time of all these attempts for
 * each frame, and delays the frames behind it.
 */
class WifiNetwork : public SharedNetwork
{
  public:
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

    /** @return `Wi-Fi n (802.11n, 20 MHz, 2 streams, rates by ideal, A-MPDU)` */
    std::string Describe() const override;

    /**
     * Set individual transmission powers; call after Build(). A learner that others receive but
     * that does not receive them gets no Ack and no CTS: its unicast frames are dropped after all
     * retries, although they may have arrived. Broadcast needs neither.
     *
     * @param powers power of each learner, in dBm
     * @throw std::invalid_argument when the numbers of powers and learners differ, or for a wired
     *        learner
     */
    virtual void SetPowers(const std::vector<double>& powers);

    /**
     * Add a radio to this network's channel that only receives, for an Eavesdropper. It does not
     * move, and its node is not a learner. Call between Build() and the start of the simulation.
     *
     * @param x position in metres, anywhere
     * @param y position in metres, anywhere
     * @param stream first random stream of the radio, whose streams decide which frames of a weak
     *        signal it decodes; far from those of AssignStreams()
     * @return its device
     * @throw std::invalid_argument for a position that is not finite, or before Build()
     */
    Ptr<NetDevice> AddListener(double x, double y, int64_t stream);

  protected:
    /**
     * @param retryLimit number of attempts to send a unicast frame
     * @param preset default preset
     * @param canJoin whether A-MPDU is possible
     */
    explicit WifiNetwork(uint32_t retryLimit, const char* preset = "legacy", bool canJoin = true)
        : m_retryLimit(retryLimit),
          m_usualPreset(preset),
          m_canJoin(canJoin)
    {
    }

    void CheckFits(const Graph& graph) const override;
    NetDeviceContainer MakeDevices() override;

    /**
     * Install the devices of learners and helper nodes with configured helpers.
     *
     * @return the devices of the learners, in order, then those of helper nodes; all are radios
     *         except those of wired learners
     */
    virtual NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                              const YansWifiPhyHelper& phy) = 0;

    /**
     * @return whether a radio may leave the range of its senders, be switched off or run out of
     *         energy; true unless overridden
     */
    virtual bool CanLeave() const { return true; }

    /**
     * @return the learner that never moves and, unless positions are given, is at the centre of the
     *         square; none unless overridden
     */
    virtual std::optional<LearnerId> GetFixedLearner() const { return std::nullopt; }

    /** @return the radio of a device, the device itself unless overridden; null for a wired one */
    virtual Ptr<WifiNetDevice> FindRadio(Ptr<NetDevice> device) const
    {
        return DynamicCast<WifiNetDevice>(device);
    }

    /** @return the radio of a learner; null for one that is wired */
    Ptr<WifiNetDevice> GetRadio(LearnerId id) const { return FindRadio(m_devices.Get(id)); }

    /**
     * Disable A-MSDU, because ns-3's bridges and mesh points do not forward A-MSDUs. Call after
     * MakeDevices().
     */
    void SwitchOffAmsdu() const;

    /** @return the transmission power of a learner, in dBm; after MakeDevices() */
    double GetPower(LearnerId id) const;

    /** @return the standard, as ns-3 names it */
    WifiStandard GetStandard() const;

    /** @return the attribute ChannelSettings of the radios */
    std::string GetChannelSettings() const;

    std::string m_rateManager; //!< after Build(): the name of the type

    ObjectFactory m_pathLossFactory; //!< without fading

  private:
    /** @return whether the preset has two streams and A-MPDU; after CompleteRadio() */
    bool IsModern() const;

    /** Complete the attributes from the preset, and refuse inconsistent ones. */
    void CompleteRadio();

    Ptr<YansWifiChannel> CreateChannel() const;
    WifiHelper MakeWifiHelper() const;
    YansWifiPhyHelper MakePhyHelper() const;
    /** Set attributes that no helper sets, and call KeepBlockAcks(). */
    void Configure(Ptr<WifiNetDevice> device) const;
    /** Configure an access category, BE, BK, VI or VO. */
    void ConfigureQueue(const Ptr<WifiNetDevice>& device,
                        const std::string& category,
                        const Ptr<QosTxop>& txop) const;

    std::string m_preset;
    std::string m_standard;
    uint32_t m_width{0};
    std::string m_pathLoss{"log-distance"};
    std::string m_fading{"none"};
    ObjectFactory m_fadingFactory; //!< no type: none
    uint32_t m_retryLimit;
    std::string m_usualPreset;
    bool m_canJoin;
    NetDeviceContainer m_devices; //!< learners first, then helper nodes
    Ptr<YansWifiChannel> m_air;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_NETWORK_H
