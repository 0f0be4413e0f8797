/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_RADIO_H
#define DLEARN_WIFI_RADIO_H

#include "dlearn-link-queues.h"

#include "ns3/constant-rate-wifi-manager.h"
#include "ns3/dlearn-component.h"
#include "ns3/object-factory.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-channel.h"
#include "ns3/yans-wifi-helper.h"

#include <cstdint>
#include <string>

namespace ns3::dlearn
{

/** @return the standards of IEEE 802.11 that WifiRadio knows by their letters, for messages */
std::string GetWifiStandardNames();

/** @return the rate managers of ns-3: constant-rate, minstrel-ht, ideal, ... */
const ComponentFamily& GetRateManagerFamily();

/** @return the path losses of ns-3: log-distance, friis, nakagami, ... */
const ComponentFamily& GetPathLossFamily();

/**
 * @ingroup dlearn
 * How the devices of a network of Wi-Fi send: standard, channel, rates, path loss.
 *
 * What it sets besides, such as the power, is a default of dlearn: where a user has changed the
 * default of the attribute of ns-3, that is in force.
 */
struct WifiRadio
{
    std::string standard{"n"};                                      //!< a, g, n, ac or ax
    uint32_t width{20};                                             //!< of the channel, in MHz
    TypeId rates{ConstantRateWifiManager::GetTypeId()};             //!< chooses the rates of frames
    ObjectFactory pathLoss{"ns3::LogDistancePropagationLossModel"}; //!< without fading
    ObjectFactory fading;                                           //!< besides; no type: none

    /**
     * @param standard a, g (at 2.4 GHz), n, ac or ax
     * @param width 20, 40, 80 or 160, as far as the standard has it
     * @param rates one of GetRateManagerFamily()
     * @param pathLoss one of GetPathLossFamily()
     * @param fading none, or one of GetPathLossFamily(), which is added to the path loss
     * @return all of these
     * @throw std::invalid_argument naming the option and what it takes
     */
    static WifiRadio Parse(const std::string& standard,
                           const std::string& width,
                           const std::string& rates,
                           const std::string& pathLoss,
                           const std::string& fading);

    /** @return the standard, as ns-3 names it */
    WifiStandard GetStandard() const;

    /** @return a new channel */
    Ptr<YansWifiChannel> CreateChannel() const;

    /**
     * @param queues of the devices
     * @return a helper for the devices above the radio
     */
    WifiHelper MakeWifiHelper(const LinkQueues& queues) const;

    /** @return the attribute ChannelSettings of the radios */
    std::string GetChannelSettings() const;

    /**
     * @param channel on which the radios are
     * @return a helper for them
     */
    YansWifiPhyHelper MakePhyHelper(Ptr<YansWifiChannel> channel) const;

    /**
     * Set what no helper sets.
     *
     * @param device a device
     * @param retryLimit times a frame is sent before the sender gives up
     * @param queues of the device
     */
    void Configure(Ptr<WifiNetDevice> device, uint32_t retryLimit, const LinkQueues& queues) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_RADIO_H
