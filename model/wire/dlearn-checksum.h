/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHECKSUM_H
#define DLEARN_CHECKSUM_H

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param head the fields of a datagram that stand before its checksum
 * @param headSize their bytes
 * @param rest what stands behind the checksum
 * @param restSize its bytes
 * @return the checksum of both, as all formats of the wire have it: XXH3, low 32 bits
 */
uint32_t ComputeChecksum(const uint8_t* head,
                         uint32_t headSize,
                         const uint8_t* rest,
                         uint32_t restSize);

/**
 * @ingroup dlearn
 * @param bytes a datagram
 * @param place of the 4 bytes of its checksum
 * @param size bytes of the datagram, at least 4 behind @p place
 * @return the checksum of all else
 */
inline uint32_t
ComputeChecksum(const uint8_t* bytes, uint32_t place, uint32_t size)
{
    return ComputeChecksum(bytes, place, bytes + place + 4, size - place - 4);
}

} // namespace ns3::dlearn

#endif // DLEARN_CHECKSUM_H
