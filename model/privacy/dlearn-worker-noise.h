/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WORKER_NOISE_H
#define DLEARN_WORKER_NOISE_H

#include "dlearn-correlated-noise.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * All the noise that workers add to their clipped gradients: of their own (Independent), shared
 * in pairs (CorrelatedNoise), and the same for all (Common).
 *
 * Common noise is that of a trusted server (CDP): noise N on the mean of n gradients is the same
 * as N on each of them, also after momentum, and for every aggregation that moves along with
 * its inputs. So a server that adds noise needs no code of its own. It protects nobody against
 * whoever sees the messages themselves.
 *
 * One object serves all workers of a simulation; what it adds is a function of round, worker and
 * size of the vector.
 */
class WorkerNoise : public Object
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    WorkerNoise();
    ~WorkerNoise() override;

    /** @param noise shared in pairs; null, the default, for none */
    void SetCorrelated(Ptr<CorrelatedNoise> noise);

    /**
     * @param worker number of the worker, from 0
     * @param round t
     * @param gradient gets the noise added
     */
    void Add(uint32_t worker, uint32_t round, VectorRef gradient);

    /**
     * The part of it that a worker shares in pairs with some others, see
     * CorrelatedNoise::AddSharedWith(). Nothing without correlated noise.
     *
     * @param rounds whose noise is meant, and how much of it
     * @param worker number of the worker, from 0
     * @param others other workers, in increasing order
     * @param vector gets the weighted sum of that part added
     */
    void AddSharedWith(const std::vector<WeightedRound>& rounds,
                       uint32_t worker,
                       const std::vector<uint32_t>& others,
                       VectorRef vector);

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    double m_independent{0};             //!< attribute Independent
    double m_common{0};                  //!< attribute Common
    Ptr<CorrelatedNoise> m_correlated;   //!< null for none
    Ptr<UniformRandomVariable> m_random; //!< gives the key
    bool m_hasKey{false};                //!< whether it did
    uint64_t m_key{0};                   //!< of all streams
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_WORKER_NOISE_H
