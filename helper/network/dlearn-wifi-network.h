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

/** @return the letters of the standards of IEEE 802.11 that WifiNetwork knows, for messages */
std::string GetWifiStandardNames();

/** @return the rate managers of ns-3: constant-rate, minstrel-ht, ideal, ... */
const ComponentFamily& GetRateManagerFamily();

/** @return the path losses of ns-3: log-distance, friis, nakagami, ... */
const ComponentFamily& GetPathLossFamily();

/**
 * @ingroup dlearn
 * The common part of radio networks: positions, motion, and IEEE 802.11 on one channel.
 *
 * Learners are in a square; they are placed by NetworkSetup::positions or uniformly at random,
 * and move as the attribute Mobility says.
 *
 * The radio: 5 GHz, 23 dBm, 7 dB noise figure, path loss 46.7 dB at one metre with exponent 3, a
 * preamble is detected from -82 dBm on; so nodes up to 88 m apart receive each other, which covers
 * the diagonal of a square of 60 m, and those further apart do not receive each other. How it sends
 * is a preset, n or legacy by default, of which attributes change parts. Broadcast and beacons of
 * data are sent at 24 Mbit/s, and so is unicast at a constant rate (26 Mbit/s, MCS 3, of 802.11n).
 * None of these rates shortens the range: at -82 dBm the signal is 12 dB above the noise, where
 * frames of 1500 bytes at 24 or 26 Mbit/s arrive with a probability of 99.99 %.
 *
 * ============  =========  ==========  ============  =============  ==============  ==============
 * preset        standard   width, MHz  rates         streams        A-MPDU, bytes   A-MSDU, bytes
 * ============  =========  ==========  ============  =============  ==============  ==============
 * n             802.11n    20          ideal         2              65535           3839
 * ac            802.11ac   80          ideal         2              65535           3839
 * ax            802.11ax   80          ideal         2              65535           3839
 * legacy        802.11n    20          constant      1              0 (off)         7935, or 3839
 * ============  =========  ==========  ============  =============  ==============  ==============
 *
 * The guard interval is 0.8 us. What is set besides, such as the power, is a default of dlearn:
 * where a user has changed the default of the attribute of ns-3, that is in force.
 *
 * Packets to one neighbour are joined: to A-MPDUs with block acknowledgement, of which both sides
 * know before the first one is sent (KeepBlockAcks()), or, with legacy, to frames (A-MSDU) with one
 * ordinary acknowledgement.
 *
 * Packets do not expire in queues: a burst waits until it can be sent. Only where a radio may go
 * away, and frames to it would be repeated for ever, they expire after a second. A unicast frame is
 * abandoned after the retry limit; a neighbour out of range costs the time of as many attempts for
 * each frame, and other frames wait behind it.
 */
class WifiNetwork : public SharedNetwork
{
  public:
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

    /** @return `Wi-Fi n (802.11n, 20 MHz, 2 streams, rates by ideal, A-MPDU)` */
    std::string Describe() const override;

    /**
     * Let learners send with individual powers; after Build(). A learner that others receive but
     * that does not receive them gets no acknowledgement (and no CTS): its unicast frames are
     * abandoned after all retries, although they may have arrived. Broadcast needs neither.
     *
     * @param powers of all learners, in dBm
     * @throw std::invalid_argument for another number of powers than learners, or a wired learner
     */
    virtual void SetPowers(const std::vector<double>& powers);

    /**
     * Add a radio to this network's channel that sends nothing, for an Eavesdropper. It does not
     * move, and its node is not a learner. Call between Build() and the start of the simulation.
     *
     * @param x place in metres, anywhere
     * @param y place in metres, anywhere
     * @param stream first random stream of the radio, which decide what it decodes of a weak
     *        signal; far from those of AssignStreams()
     * @return its device
     * @throw std::invalid_argument for a place that is not finite, or before Build()
     */
    Ptr<NetDevice> AddListener(double x, double y, int64_t stream);

  protected:
    /**
     * @param retryLimit times a unicast frame is sent before the sender gives up
     * @param preset that holds where a user names none
     * @param canJoin whether there can be A-MPDU
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
     * Install the devices of the learners, and those of any helper node, by configured helpers.
     *
     * @return the devices: learners first, in order, then those of helper nodes; all but those of
     *         learners that are wired are radios
     */
    virtual NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                              const YansWifiPhyHelper& phy) = 0;

    /**
     * @return whether a radio may go out of range of those that send to it, be switched off or lose
     *         its power; yes unless overridden
     */
    virtual bool CanLeave() const { return true; }

    /**
     * @return the learner that never moves and, unless positions are given, stands at the
     *         centre of the square; none by default
     */
    virtual std::optional<LearnerId> GetFixedLearner() const { return std::nullopt; }

    /** @return the radio of a device, itself unless overridden; null for a wired one */
    virtual Ptr<WifiNetDevice> FindRadio(Ptr<NetDevice> device) const
    {
        return DynamicCast<WifiNetDevice>(device);
    }

    /** @return the radio of a learner; null for one that is wired */
    Ptr<WifiNetDevice> GetRadio(LearnerId id) const { return FindRadio(m_devices.Get(id)); }

    /**
     * Send each packet in a separate frame: frames of joined packets (A-MSDU) are not passed on by
     * bridges and mesh points of ns-3. Call after MakeDevices().
     */
    void SwitchOffAmsdu() const;

    /** @return the power with which a learner sends, in dBm; after MakeDevices() */
    double GetPower(LearnerId id) const;

    /** @return the standard, as ns-3 names it */
    WifiStandard GetStandard() const;

    /** @return the attribute ChannelSettings of the radios */
    std::string GetChannelSettings() const;

    std::string m_rateManager; //!< since Build() the name of the type

    ObjectFactory m_pathLossFactory; //!< without fading

  private:
    /** Replace what the attributes leave to the preset, and refuse what does not fit together. */
    void CompleteRadio();

    Ptr<YansWifiChannel> CreateChannel() const;
    WifiHelper MakeWifiHelper() const;
    YansWifiPhyHelper MakePhyHelper() const;
    /** Set what no helper sets, and keep block-ack agreements (KeepBlockAcks()). */
    void Configure(Ptr<WifiNetDevice> device) const;
    /** Set what belongs to a category of traffic, BE, BK, VI or VO. */
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
