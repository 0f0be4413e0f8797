/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPDATE_KIND_H
#define DLEARN_UPDATE_KIND_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the update of a client is, and so on which side of it the loss is smaller.
 */
enum class UpdateKind : uint8_t
{
    DIFFERENCE, //!< the client's model less the one that it was given: to be added
    GRADIENT    //!< a gradient, or a momentum of gradients: to be subtracted
};

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_KIND_H
