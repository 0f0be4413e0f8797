/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-options.h"

#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** @return whether two factories make different objects */
bool
Differ(const ObjectFactory& a, const ObjectFactory& b)
{
    const auto write = [](const ObjectFactory& factory) {
        std::ostringstream text;
        if (factory.IsTypeIdSet()) // else it has no text
        {
            text << factory;
        }
        return text.str();
    };
    return write(a) != write(b);
}

} // namespace

std::vector<std::string>
NetworkOptions::ListChanged() const
{
    const NetworkOptions usual;
    std::vector<std::string> changed;
    const auto compare = [&changed](bool differs, const std::string& option) {
        if (differs)
        {
            changed.push_back(option);
        }
    };
    compare(loss != usual.loss, "loss");
    compare(rate != usual.rate, "rate");
    compare(delay != usual.delay, "delay");
    compare(trunkRate != usual.trunkRate, "trunk-rate");
    compare(queues.disc.has_value(), "queue-disc");
    compare(queues.size.has_value(), "queue-size");
    compare(side != usual.side, "side");
    compare(radio.preset != usual.radio.preset, "wifi");
    compare(radio.standard != usual.radio.standard, "wifi-standard");
    compare(radio.width != usual.radio.width, "wifi-width");
    compare(radio.rates != usual.radio.rates, "rate-manager");
    compare(Differ(radio.pathLoss, usual.radio.pathLoss), "path-loss");
    compare(Differ(radio.fading, usual.radio.fading), "fading");
    compare(Differ(routing, usual.routing), "routing");
    compare(accessPoints != usual.accessPoints, "access-points");
    compare(baseStations != usual.baseStations, "base-stations");
    return changed;
}

} // namespace ns3::dlearn
