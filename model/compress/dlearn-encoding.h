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

/** A vector written as a whole: one run of bytes that only makes sense when all of it is there. */
struct PackedVector
{
    Encoding encoding{Encoding::QSGD}; //!< a packed one
    std::vector<uint8_t> bytes;        //!< the message
};

/**
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
 * Read a packed vector, as every receiver does. Trusts nothing.
 *
 * @param packed its encoding, a packed one, and bytes of any content
 * @param values result, of the vector's length; undefined when it cannot be read
 * @return whether the bytes are such a vector; entries may be NaN or infinite
 */
bool UnpackVector(const PackedVector& packed, VectorRef values);

/**
 * @param numbers a dense encoding
 * @return the sparse encoding whose values are written so
 */
Encoding GetSparseEncoding(Encoding numbers);

/**
 * @param encoding a sparse encoding
 * @return the dense encoding of its values
 */
Encoding GetSparseNumbers(Encoding encoding);

/**
 * @param count entries that are sent, k
 * @param numbers how their values are written, a dense encoding
 * @return k (4 + w), bytes on the wire
 */
uint64_t GetSparseSize(uint64_t count, Encoding numbers);

/**
 * Write some entries of a vector; a reader takes all others for 0. The format, for k entries
 * whose numbers have w bytes:
 *
 *     0                                  4 k
 *     k indices, 4 bytes each, ascending   k values, w bytes each
 *
 * @param indices which entries, ascending
 * @param values the entries, as many
 * @param numbers how to write the values, a dense encoding
 * @return the bytes
 */
std::vector<uint8_t> EncodeSparse(const std::vector<uint32_t>& indices,
                                  ConstVectorRef values,
                                  Encoding numbers);

/**
 * Read what EncodeSparse() wrote. Trusts nothing.
 *
 * @param bytes the bytes
 * @param numbers how the values are written, a dense encoding
 * @param values result, of the vector's full length
 * @return whether the bytes are some entries of such a vector: a whole number of them, with
 *         ascending indices in its range; the entries may be NaN or infinite
 */
bool DecodeSparse(const std::vector<uint8_t>& bytes, Encoding numbers, VectorRef values);

/** Most levels of either sign: an entry then takes 24 bits. */
constexpr uint32_t MAX_QSGD_LEVELS = (1U << 23) - 1;

/** Bytes before the entries. */
constexpr uint32_t QSGD_PREFIX = 8;

/**
 * @param levels S, from 1 to MAX_QSGD_LEVELS
 * @return b = ceil(log2(2 S + 1)), bits per entry
 */
uint32_t GetQsgdBits(uint32_t levels);

/**
 * @param levels S, from 1 to MAX_QSGD_LEVELS
 * @param dimension d, entries of the vector
 * @return 8 + ceil(d b / 8), bytes of the vector on the wire
 */
uint64_t GetQsgdSize(uint32_t levels, uint64_t dimension);

/**
 * Write a vector of which every entry is a multiple of scale / S, from -S to S times. The
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
 * Read what EncodeQsgd() wrote. Trusts nothing.
 *
 * @param bytes the bytes
 * @param values result, of the vector's length
 * @return whether the bytes are such a vector: of the right number, with a scale that is finite
 *         and at least 0, levels and multiples in their range and zero bits at the end
 */
bool DecodeQsgd(const std::vector<uint8_t>& bytes, VectorRef values);

} // namespace ns3::dlearn

#endif // DLEARN_ENCODING_H
