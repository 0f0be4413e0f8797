/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SPARSE_COMPRESSORS_H
#define DLEARN_SPARSE_COMPRESSORS_H

#include "dlearn-compressor.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Sends K of the d entries, each with its index. Bytes on the wire: K (4 + w), where w is the
 * bytes of a number.
 */
class SparseCompressor : public Compressor
{
  public:
    static TypeId GetTypeId();

    uint64_t GetPackedSize() const override;

  protected:
    void DoSetup() override;

    uint32_t m_kept{1}; //!< attribute K

  private:
    PackedVector DoCompress(ConstVectorRef values) final;

    /**
     * @param values d entries, of any value
     * @return which K of them to send, ascending
     */
    virtual std::vector<uint32_t> Select(ConstVectorRef values) = 0;

    /** @return factor on the entries that are sent; 1 unless overridden */
    virtual double GetFactor() const { return 1; }
};

/**
 * @ingroup dlearn
 * Sends the K entries of largest magnitude; of equal ones those of smaller index. A contraction
 * with delta = K / d (Stich, Cordonnier and Jaggi 2018, "Sparsified SGD with Memory", NeurIPS,
 * Lemma A.1), biased, and therefore to be used with error feedback. NaN counts as the largest
 * magnitude of all.
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
    RandomKCompressor();
    ~RandomKCompressor() override;

    int64_t AssignStreams(int64_t stream) override;

  private:
    void DoSetup() override;
    std::vector<uint32_t> Select(ConstVectorRef values) override;

    double GetFactor() const override
    {
        return m_feedback ? 1.0 : static_cast<double>(m_dimension) / m_kept;
    }

    Ptr<UniformRandomVariable> m_random; //!< draws the entries
    std::vector<uint32_t> m_order;       //!< the numbers 0 to d-1 in some order
};

} // namespace ns3::dlearn

#endif // DLEARN_SPARSE_COMPRESSORS_H
