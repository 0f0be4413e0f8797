/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPAIR_METHOD_H
#define DLEARN_REPAIR_METHOD_H

#include <optional>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What is done about lost fragments of a broadcast.
 */
struct RepairMethod
{
    bool polls{false};  //!< whether receivers report what they miss
    bool parity{false}; //!< whether there is parity
    double share{0};    //!< pieces of parity sent with each fragment

    /**
     * @param text none, nack, fec:RATE, both or both:RATE, with a RATE from 0.001 to 4
     * @return what it says; nothing for any other text
     */
    static std::optional<RepairMethod> Parse(const std::string& text);
};

} // namespace ns3::dlearn

#endif // DLEARN_REPAIR_METHOD_H
