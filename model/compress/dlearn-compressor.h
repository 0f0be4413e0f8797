/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPRESSOR_H
#define DLEARN_COMPRESSOR_H

#include "dlearn-encoding.h"

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Encodes a vector in fewer bytes than its numbers, at the cost of an error: the interface of all
 * quantisers and sparsifiers. Every learner has its own compressor.
 *
 * A compressor is used in one of two ways, which Setup() selects; C(v) is the vector that a
 * receiver reads:
 *  - without error feedback C(v) is unbiased, E[C(v)] = v, so that errors of many learners and
 *    rounds cancel (all but TopKCompressor, which has no such form);
 *  - with error feedback (ErrorFeedback) C(v) is closer to v than 0 is,
 *    E||v - C(v)||^2 <= (1 - delta) ||v||^2 with delta > 0, which keeps the residual bounded
 *    (Karimireddy, Rebjock, Stich and Jaggi 2019, "Error Feedback Fixes SignSGD and other
 *    Gradient Compression Schemes", ICML, Assumption A).
 *
 * The two differ by a factor: an unbiased compressor of variance at most omega ||v||^2 becomes a
 * contraction with delta = 1 / (1 + omega) when its result is divided by 1 + omega.
 *
 * Entries that are dropped read as 0: this suits gradients and differences of models, not models.
 */
class Compressor : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param dimension d, entries of every vector
     * @param numbers dense encoding of single numbers
     * @param feedback whether to be a contraction, for error feedback, instead of unbiased
     * @throw std::invalid_argument when an attribute does not fit the dimension
     */
    void Setup(uint32_t dimension, Encoding numbers, bool feedback);

    /**
     * @param values d entries; receivers refuse NaN and infinity
     * @return the message
     * @throw std::invalid_argument when DoCompress() breaks its rules
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
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }

  protected:
    bool IsSetUp() const { return m_dimension > 0; }

    uint32_t m_dimension{0};               //!< d; 0 before Setup()
    Encoding m_numbers{Encoding::FLOAT32}; //!< encoding of single numbers
    bool m_feedback{false};                //!< contraction instead of unbiased

  private:
    /** Check attributes against the dimension, and prepare for it. */
    virtual void DoSetup() {}

    /**
     * @return GetPackedSize() bytes of a packed encoding, filled up if fewer entries are sent:
     *         timeouts and plans depend on the size of messages
     */
    virtual PackedVector DoCompress(ConstVectorRef values) = 0;
};

/**
 * @ingroup dlearn
 * Remembers the part of a vector that compression removed and adds it to the next vector (Seide,
 * Fu, Droppo, Li and Yu 2014, "1-Bit Stochastic Gradient Descent", Interspeech; Stich, Cordonnier
 * and Jaggi 2018; Karimireddy et al. 2019). With the residual e_0 = 0, in round t
 *
 *   p_t = v_t + e_t          (Correct())
 *   the sender sends C(p_t)
 *   e_{t+1} = p_t - C(p_t)   (Keep())
 *
 * where C(p_t) is the vector that a receiver reads, to the last bit. Thus at any time the sum of
 * all v equals the sum of all that was sent plus the residual: compression only delays. Losses of
 * the network are permanent. To withdraw a message before any part of it left, the sender returns
 * to a copy of this object from before.
 *
 * There is one object for each stream of vectors, such as a channel.
 */
class ErrorFeedback
{
  public:
    /** @param values v, becomes v + e */
    void Correct(VectorRef values) const;

    /**
     * @param wanted p, of the same size each time; entries that are not finite leave no residual
     * @param received C(p), as receivers read it
     */
    void Keep(ConstVectorRef wanted, ConstVectorRef received);

    /** @return e; empty before Keep() */
    const ModelVector& GetResidual() const { return m_residual; }

  private:
    ModelVector m_residual; //!< e
};

/**
 * @ingroup dlearn
 * Sends K of the d entries, each with its index. Bytes on the wire: K (4 + w), where w is the
 * bytes of a number.
 */
class SparseCompressor : public Compressor
{
  public:
    static TypeId GetTypeId();

    uint64_t GetPackedSize() const override { return GetSparseSize(m_kept, m_numbers); }

  protected:
    void DoSetup() override;

    uint32_t m_kept{1}; //!< attribute K

  private:
    PackedVector DoCompress(ConstVectorRef values) final;

    /** @return indices of the K entries to send, ascending */
    virtual std::vector<uint32_t> Select(ConstVectorRef values) = 0;

    /** @return factor on the entries that are sent; 1 unless overridden */
    virtual double GetFactor() const { return 1; }
};

/**
 * @ingroup dlearn
 * Sends the K entries of largest magnitude, of equal ones the first. A contraction with delta = K /
 * d (Stich, Cordonnier and Jaggi 2018, "Sparsified SGD with Memory", NeurIPS, Lemma A.1), biased,
 * and therefore to be used with error feedback. NaN counts as the largest magnitude of all.
 */
class TopKCompressor : public SparseCompressor
{
  public:
    static TypeId GetTypeId();

  private:
    std::vector<uint32_t> Select(ConstVectorRef values) override;
};

/**
 * @ingroup dlearn
 * Sends K entries that are drawn at random, each set of K equally likely: K random numbers a
 * vector. The values are multiplied by d / K, so that E[C(v)] = v, except with error feedback,
 * where it is a contraction with delta = K / d (Stich, Cordonnier and Jaggi 2018).
 */
class RandomKCompressor : public SparseCompressor
{
  public:
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override
    {
        m_random->SetStream(stream);
        return 1;
    }

  private:
    void DoSetup() override;
    std::vector<uint32_t> Select(ConstVectorRef values) override;

    double GetFactor() const override
    {
        return m_feedback ? 1.0 : static_cast<double>(m_dimension) / m_kept;
    }

    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
    std::vector<uint32_t> m_order; //!< the numbers 0 to d-1 in some order
};

/**
 * @ingroup dlearn
 * Stochastic quantisation to S levels of either sign: QSGD (Alistarh, Grubic, Li, Tomioka and
 * Vojnovic 2017, "QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding",
 * NeurIPS, section 3.1), with a fixed number of bits per entry instead of the paper's Elias
 * code. With N the norm ||v||_2 of the whole vector, an entry becomes
 *
 *   Q(v_i) = N sign(v_i) l_i / S,   l_i = floor(a_i) + [u_i < a_i - floor(a_i)],
 *   a_i = S |v_i| / N,   u_i uniform on (0, 1),
 *
 * one random number per entry. N is sent as binary32, rounded up, and is the same N for sender and
 * receiver, so that a_i <= S and E[Q(v)] = v exactly. The variance is at most omega ||v||^2, omega
 * = min(d / S^2, sqrt(d) / S) (Lemma 3.1), and with error feedback the scale that is sent is N / (1
 * + omega).
 *
 * Bytes on the wire: 8 + ceil(d b / 8), b = ceil(log2(2 S + 1)). Levels of the form 2^(b-1) - 1
 * leave no code unused: 1, 3, 7, 15, 127.
 */
class QsgdCompressor : public Compressor
{
  public:
    static TypeId GetTypeId();

    uint64_t GetPackedSize() const override { return GetQsgdSize(m_levels, m_dimension); }

    int64_t AssignStreams(int64_t stream) override
    {
        m_random->SetStream(stream);
        return 1;
    }

  private:
    PackedVector DoCompress(ConstVectorRef values) override;

    uint32_t m_levels{7}; //!< attribute Levels, S
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPRESSOR_H
