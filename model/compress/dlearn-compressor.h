/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPRESSOR_H
#define DLEARN_COMPRESSOR_H

#include "dlearn-packed-vector.h"

#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Encodes a vector in fewer bytes than its numbers, at the cost of an error: the interface of all
 * quantisers and sparsifiers. Every learner has its own compressor.
 *
 * A compressor is used in one of two ways, which Setup() selects:
 *  - without error feedback: what a receiver reads is unbiased, E[C(v)] = v, so that errors of many
 *    learners and rounds cancel (all but TopKCompressor, which has no such form);
 *  - with error feedback (ErrorFeedback): what a receiver reads is closer to v than 0 is,
 *    E||v - C(v)||^2 <= (1 - delta) ||v||^2 with delta > 0, which keeps the residual bounded
 *    (Karimireddy, Rebjock, Stich and Jaggi 2019, "Error Feedback Fixes SignSGD and other
 *    Gradient Compression Schemes", ICML, Assumption A).
 *
 * The two differ by a factor: an unbiased compressor of variance at most omega ||v||^2 becomes a
 * contraction with delta = 1 / (1 + omega) when its result is divided by 1 + omega.
 *
 * Entries that are dropped read as 0: this suits gradients and differences of models, but leaves
 * little of models themselves.
 */
class Compressor : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param dimension d, entries of every vector
     * @param numbers how single numbers are written, a dense encoding
     * @param feedback whether what is lost comes back later: be a contraction, not unbiased
     * @throw std::invalid_argument when an attribute does not fit the dimension
     */
    void Setup(uint32_t dimension, Encoding numbers, bool feedback);

    /**
     * A vector with NaN or infinity is packed too: receivers refuse what is not finite.
     *
     * @param values d entries
     * @return what travels
     * @throw std::invalid_argument when a type's own compression breaks the rules of DoCompress()
     */
    PackedVector Compress(ConstVectorRef values);

    /** @return bytes of every vector that Compress() returns */
    virtual uint64_t GetPackedSize() const = 0;

    /**
     * Fix the streams of random numbers.
     *
     * @param stream first stream number
     * @return how many are used; none unless overridden
     */
    virtual int64_t AssignStreams(int64_t stream);

  protected:
    /** @return whether Setup() was called, which has read the attributes */
    bool IsSetUp() const { return m_dimension > 0; }

    uint32_t m_dimension{0};               //!< d; 0 before Setup()
    Encoding m_numbers{Encoding::FLOAT32}; //!< how single numbers are written
    bool m_feedback{false};                //!< contraction instead of unbiased

  private:
    /** Check attributes against the dimension; prepare what depends on it. */
    virtual void DoSetup();

    /**
     * Timeouts and plans depend on the size of messages, so all vectors have as many bytes: one
     * with fewer entries to send is filled up, such as with entries of value 0.
     *
     * @param values d entries, of any value
     * @return GetPackedSize() bytes of a packed encoding
     */
    virtual PackedVector DoCompress(ConstVectorRef values) = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPRESSOR_H
