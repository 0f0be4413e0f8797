/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_QUANTITY_PARSER_H
#define DLEARN_QUANTITY_PARSER_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <string>

/**
 * @file
 * Times and rates from text. ns-3's own parsers abort the program on a wrong unit; these say
 * what is wrong.
 */

namespace ns3::dlearn
{

/**
 * @param name what the time is, for the message
 * @param text a number at least 0 and one of the units ns, us, ms, s, min, h: "1.5ms"
 * @return the time
 * @throw std::invalid_argument naming the thing and the text
 */
Time ParseTime(const std::string& name, const std::string& text);

/**
 * @param name what the rate is, for the message
 * @param text a number greater than 0 and one of the units bps, kbps, Mbps, Gbps: "5Mbps"
 * @return the rate
 * @throw std::invalid_argument naming the thing and the text
 */
DataRate ParseDataRate(const std::string& name, const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_QUANTITY_PARSER_H
