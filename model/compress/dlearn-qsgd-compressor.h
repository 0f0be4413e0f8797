/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_QSGD_COMPRESSOR_H
#define DLEARN_QSGD_COMPRESSOR_H

#include "dlearn-compressor.h"

#include "ns3/random-variable-stream.h"

namespace ns3::dlearn
{

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
    QsgdCompressor();
    ~QsgdCompressor() override;

    uint64_t GetPackedSize() const override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    PackedVector DoCompress(ConstVectorRef values) override;

    uint32_t m_levels{7};                //!< attribute Levels, S
    Ptr<UniformRandomVariable> m_random; //!< rounds up or down
};

} // namespace ns3::dlearn

#endif // DLEARN_QSGD_COMPRESSOR_H
