/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_UPLINK_H
#define DLEARN_WIFI_UPLINK_H

#include "dlearn-network.h"

#include "ns3/object-factory.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-tx-vector.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Shares of the air and powers of stations that send to an access point.
 *
 * Rates: a rate of the radio needs the power p = snr N B F / g, with the signal-to-noise ratio snr
 * at which ns3::IdealWifiManager takes this rate (its BerThreshold; half of it for one stream that
 * two antennas receive), N = kT at 290 K, the width B of the channel, the noise figure F of the
 * access point, and the path gain g without fading; and at least the power with which the access
 * point detects preambles (WIFI_THRESHOLD_DBM).
 *
 * Shares: stations whose queues are full access the air at rates proportional to 1 / CWmin, as the
 * back-off is CWmin / 2 slots on average when few frames collide (the ratio of tau / (1 - tau) of
 * Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE JSAC
 * 2000). With the time t of an access, CWmin is proportional to t over the share; the least is 15,
 * as in the standard, and the most 1023. Air that a station does not use goes to the others. An
 * access point cannot announce such windows in beacons, which reset those of the stations; they
 * are set again after each beacon.
 */
class WifiUplinks
{
  public:
    /** @param pathLoss model of the path loss, without fading */
    explicit WifiUplinks(const ObjectFactory& pathLoss);
    ~WifiUplinks();

    /** @param radio an associated station, on a YansWifiChannel */
    Uplink Find(LearnerId client, const Ptr<WifiNetDevice>& radio);

    /** See Network::GrantUplinks(). */
    void Grant(const std::vector<UplinkGrant>& grants);

  private:
    class ContentionWindow;

    struct Station
    {
        Ptr<WifiNetDevice> radio;
        double watts{0}; //!< that it had at first
        Ptr<ContentionWindow> window;
    };

    /** A rate of all stations. */
    struct Rate
    {
        double bits; //!< a second, of data in frames
        double snr;  //!< least
    };

    void FindRates(const Ptr<WifiNetDevice>& radio);

    ObjectFactory m_pathLoss;
    std::vector<Rate> m_rates; //!< ascending signal-to-noise ratios; empty before the first Find()
    std::map<LearnerId, Station> m_stations;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_UPLINK_H
