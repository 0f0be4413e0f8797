/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENCODING_H
#define DLEARN_ENCODING_H

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a vector is written on the wire, always in network byte order.
 *
 * A dense encoding writes every number separately, so any part of a message gives a part of the
 * vector. A packed one writes the vector as a whole, and all of it is needed to read it
 * (PackedVector).
 */
enum class Encoding : uint8_t
{
    FLOAT32 = 0,  //!< dense, IEEE 754 binary32, 4 bytes a number
    FLOAT64 = 1,  //!< dense, IEEE 754 binary64, 8 bytes a number
    FLOAT16 = 2,  //!< dense, IEEE 754 binary16, 2 bytes a number
    SPARSE32 = 3, //!< packed, some entries with their indices, in binary32 (EncodeSparse)
    SPARSE64 = 4, //!< packed, some entries with their indices, in binary64
    SPARSE16 = 5, //!< packed, some entries with their indices, in binary16
    QSGD = 6      //!< packed, multiples of one step (EncodeQsgd)
};

/** Number of encodings: an encoding byte from the wire must be smaller. */
constexpr uint8_t ENCODINGS = 7;

/**
 * @param encoding an encoding that exists
 * @return whether it writes every number by itself
 */
bool IsDense(Encoding encoding);

/**
 * @param encoding an encoding
 * @return bytes a number when it is dense, else 0
 */
uint32_t GetNumberSize(Encoding encoding);

/**
 * Write numbers, each rounded to nearest, ties to even. In binary16 a finite number beyond its
 * range becomes the largest one, 65504, or its negative: such numbers do occur in training, and one
 * of them should not invalidate the whole vector.
 *
 * @param values a vector
 * @param encoding how to write it, dense
 * @param bytes gets values.size() * GetNumberSize(encoding) bytes
 */
void EncodeVector(ConstVectorRef values, Encoding encoding, uint8_t* bytes);

/**
 * @param bytes values.size() * GetNumberSize(encoding) bytes
 * @param encoding how they are written, dense
 * @param values result
 * @return whether all of them are finite
 */
bool DecodeVector(const uint8_t* bytes, Encoding encoding, VectorRef values);

} // namespace ns3::dlearn

#endif // DLEARN_ENCODING_H
