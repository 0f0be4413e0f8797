/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PACKED_VECTOR_H
#define DLEARN_PACKED_VECTOR_H

#include "dlearn-encoding.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A vector written as a whole: one run of bytes that only makes sense when all of it is there.
 */
struct PackedVector
{
    Encoding encoding{Encoding::QSGD}; //!< a packed one
    std::vector<uint8_t> bytes;        //!< the message
};

/**
 * @ingroup dlearn
 * Whether a packed message may have this length: a bound on the memory that a receiver spends
 * before it has read anything else. UnpackVector() checks whether the bytes are a vector.
 *
 * @param encoding a packed encoding
 * @param dimension entries of the vector
 * @param size bytes of the message
 * @return whether some vector of that dimension has that many bytes
 */
bool IsPackedSize(Encoding encoding, uint64_t dimension, uint64_t size);

/**
 * @ingroup dlearn
 * Read a packed vector, as every receiver does. Trusts nothing.
 *
 * @param packed its encoding, a packed one, and bytes of any content
 * @param values result, of the vector's length; undefined when it cannot be read
 * @return whether the bytes are such a vector; entries may be NaN or infinite
 */
bool UnpackVector(const PackedVector& packed, VectorRef values);

} // namespace ns3::dlearn

#endif // DLEARN_PACKED_VECTOR_H
