/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_RADIO_H
#define DLEARN_WIFI_RADIO_H

#include "dlearn-link-options.h"

#include "ns3/propagation-loss-model.h"
#include "ns3/qos-txop.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <cstdint>

namespace ns3::dlearn
{

/** @return the letters of the standards of IEEE 802.11 that WifiRadio knows, for messages */
std::string GetWifiStandardNames();

/** @return the rate managers of ns-3: constant-rate, minstrel-ht, ideal, ... */
const ComponentFamily& GetRateManagerFamily();

/** @return the path losses of ns-3: log-distance, friis, nakagami, ... */
const ComponentFamily& GetPathLossFamily();

/**
 * @ingroup dlearn
 * How the devices of a network of Wi-Fi send: a preset, and what a user has changed of it.
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
 */
struct WifiRadio
{
    std::string preset;     //!< n, ac, ax or legacy
    std::string standard;   //!< a, g, n, ac or ax
    uint32_t width{0};      //!< of the channel, in MHz
    TypeId rates;           //!< chooses the rates of frames
    ObjectFactory pathLoss; //!< without fading
    ObjectFactory fading;   //!< besides; no type: none

    /**
     * @param usual preset of the network
     * @param preset n, ac, ax, legacy or empty for the usual one
     * @param standard a, g (at 2.4 GHz), n, ac, ax or empty for that of the preset
     * @param width 20, 40, 80, 160 or 0 for that of the preset
     * @param rates one of GetRateManagerFamily(), or empty for that of the preset
     * @param pathLoss one of GetPathLossFamily()
     * @param fading none, or one of GetPathLossFamily(), which is added to the path loss
     * @throw std::invalid_argument naming the option and what it takes, also for a width or rates
     *        that the standard does not have
     */
    static WifiRadio Parse(const std::string& usual,
                           const std::string& preset,
                           const std::string& standard,
                           uint32_t width,
                           const std::string& rates,
                           const std::string& pathLoss,
                           const std::string& fading);

    /**
     * @param canJoin whether the network can have A-MPDU
     * @return `Wi-Fi n (802.11n, 20 MHz, 2 streams, rates by ideal, A-MPDU)`
     */
    std::string Describe(bool canJoin = true) const;

    /** @return the standard, as ns-3 names it */
    WifiStandard GetStandard() const;

    /** @return a new channel */
    Ptr<YansWifiChannel> CreateChannel() const;

    /** @return a helper for the devices above the radio */
    WifiHelper MakeWifiHelper(const LinkQueues& queues) const;

    /** @return the attribute ChannelSettings of the radios */
    std::string GetChannelSettings() const;

    /** @return a helper for radios on a channel */
    YansWifiPhyHelper MakePhyHelper(Ptr<YansWifiChannel> channel) const;

    /**
     * Set what no helper sets, and keep block-ack agreements (KeepBlockAcks()).
     *
     * @param device of the network
     * @param retryLimit times a frame is sent before the sender gives up
     * @param queues of the device
     * @param canLeave whether a radio may go out of range, be switched off or lose its power
     */
    void Configure(Ptr<WifiNetDevice> device,
                   uint32_t retryLimit,
                   const LinkQueues& queues,
                   bool canLeave) const;

  private:
    /** Set what belongs to a category of traffic, BE, BK, VI or VO. */
    void ConfigureQueue(const Ptr<WifiNetDevice>& device,
                        const std::string& category,
                        const Ptr<QosTxop>& txop,
                        const LinkQueues& queues,
                        bool canLeave) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_RADIO_H
