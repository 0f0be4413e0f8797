/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ENCODING_H
#define DLEARN_ENCODING_H

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/**
 * How a vector is written on the wire, always in network byte order.
 *
 * A dense encoding writes every number separately, so any part of a message gives a part of the
 * vector. A packed encoding is read as a whole (PackedVector).
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

/** @return whether an encoding writes every number separately */
bool IsDense(Encoding encoding);

/** @return bytes of a number in a dense encoding; 0 in a packed one */
uint32_t GetNumberSize(Encoding encoding);

/**
 * Write numbers, each rounded to nearest, ties to even. In binary16 a finite number out of range
 * becomes 65504 or its negative, so that it does not invalidate the whole vector.
 *
 * @param values a vector
 * @param encoding a dense encoding
 * @param bytes gets values.size() * GetNumberSize(encoding) bytes
 */
void EncodeVector(ConstVectorRef values, Encoding encoding, uint8_t* bytes);

/**
 * @param bytes values.size() * GetNumberSize(encoding) bytes
 * @param encoding a dense encoding
 * @param values result
 * @return whether all values are finite
 */
bool DecodeVector(const uint8_t* bytes, Encoding encoding, VectorRef values);

/** A vector that is written and read as a whole. */
struct PackedVector
{
    Encoding encoding{Encoding::QSGD}; //!< a packed one
    std::vector<uint8_t> bytes;        //!< the message
};

/**
 * @param encoding a packed encoding
 * @param dimension entries of the vector
 * @param size bytes of the message
 * @return whether some vector of that dimension has that many bytes: a bound on the memory that a
 *         receiver spends before it has read anything else
 */
bool IsPackedSize(Encoding encoding, uint64_t dimension, uint64_t size);

/**
 * @param packed a packed encoding, and any bytes
 * @param values result, of the vector's length; undefined when the bytes are not a vector
 * @return whether the bytes are a vector; entries may be NaN or infinite
 */
bool UnpackVector(const PackedVector& packed, VectorRef values);

/** @return the sparse encoding of values in a dense encoding */
Encoding GetSparseEncoding(Encoding numbers);

/** @return the dense encoding of the values of a sparse encoding */
Encoding GetSparseNumbers(Encoding encoding);

/** @return k (4 + w), bytes of k entries whose values have w bytes in a dense encoding */
uint64_t GetSparseSize(uint64_t count, Encoding numbers);

/**
 * Write some entries of a vector; a reader takes all others for 0. The format, for k entries
 * whose numbers have w bytes:
 *
 *     0                                  4 k
 *     k indices, 4 bytes each, ascending   k values, w bytes each
 *
 * @param indices of the entries, ascending
 * @param values the entries, as many
 * @param numbers a dense encoding of the values
 * @return the bytes
 */
std::vector<uint8_t> EncodeSparse(const std::vector<uint32_t>& indices,
                                  ConstVectorRef values,
                                  Encoding numbers);

/**
 * @param bytes of EncodeSparse(), or any other bytes
 * @param numbers the dense encoding of the values
 * @param values result, of the vector's full length
 * @return whether the bytes are entries of such a vector, with ascending indices in its range; the
 *         entries may be NaN or infinite
 */
bool DecodeSparse(const std::vector<uint8_t>& bytes, Encoding numbers, VectorRef values);

/** Most levels of either sign: an entry then takes 24 bits. */
constexpr uint32_t MAX_QSGD_LEVELS = (1U << 23) - 1;

/** Bytes before the entries of QSGD. */
constexpr uint32_t QSGD_PREFIX = 8;

/** @return b = ceil(log2(2 S + 1)), bits per entry for S levels, from 1 to MAX_QSGD_LEVELS */
uint32_t GetQsgdBits(uint32_t levels);

/** @return 8 + ceil(d b / 8), bytes of a vector of d entries on the wire */
uint64_t GetQsgdSize(uint32_t levels, uint64_t dimension);

/**
 * Write a vector whose entries are multiples of scale / S, from -S to S times. The
 * format, for d entries:
 *
 *     0                 4               8
 *     scale, binary32   S, whole number  d times b bits: S + multiple, the highest bit first
 *
 * filled up with zero bits to whole bytes.
 *
 * @param scale at least 0, the largest value that an entry can have
 * @param levels S, from 1 to MAX_QSGD_LEVELS
 * @param multiples of the entries, from -S to S
 * @return the bytes
 */
std::vector<uint8_t> EncodeQsgd(float scale,
                                uint32_t levels,
                                const std::vector<int32_t>& multiples);

/**
 * @param bytes of EncodeQsgd(), or any other bytes
 * @param values result, of the vector's length
 * @return whether the bytes are such a vector: of the right number, with a scale that is finite and
 * at least 0, levels and multiples in range, and zero bits at the end
 */
bool DecodeQsgd(const std::vector<uint8_t>& bytes, VectorRef values);

} // namespace ns3::dlearn

#endif // DLEARN_ENCODING_H
