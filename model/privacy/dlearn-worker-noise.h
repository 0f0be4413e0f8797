/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WORKER_NOISE_H
#define DLEARN_WORKER_NOISE_H

#include "dlearn-correlated-noise.h"
#include "dlearn-threat-model.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <map>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The noise that workers add to their clipped gradients: independent noise (Independent), and
 * noise shared in pairs (CorrelatedNoise).
 *
 * One object serves all workers of a simulation; what it adds is a function of round, worker and
 * size of the vector. Therefore it also notifies the accounts of all workers of what others reveal:
 * with the attribute NoiseRecovery, workers may reveal the noise that they share with others
 * (AddSharedWith(), for the noise recovery of RobustServer), and then the noise of those others is
 * known, too.
 */
class WorkerNoise : public Object
{
  public:
    static TypeId GetTypeId();
    WorkerNoise();
    ~WorkerNoise() override;

    /** @param noise shared in pairs; null, the default, for none */
    void SetCorrelated(Ptr<CorrelatedNoise> noise) { m_correlated = noise; }

    /**
     * @param worker number of the worker, from 0
     * @param round t
     * @param gradient gets the noise added
     */
    void Add(uint32_t worker, uint32_t round, VectorRef gradient);

    /**
     * Reveal the part of the noise that a worker shares in pairs with some others, see
     * CorrelatedNoise::AddSharedWith(). There is none without correlated noise.
     *
     * @param rounds whose noise is meant, and how much of it
     * @param worker number of the worker, from 0
     * @param others other workers, in increasing order
     * @param vector gets the weighted sum of that part added
     * @throw std::invalid_argument without the attribute NoiseRecovery
     */
    void AddSharedWith(const std::vector<WeightedRound>& rounds,
                       uint32_t worker,
                       const std::vector<uint32_t>& others,
                       VectorRef vector);

    /**
     * A worker takes its number. What it adds is a function of the number, so that two workers with
     * the same one would have the same noise, which their difference takes away.
     *
     * @param worker number of the worker, from 0
     * @throw std::invalid_argument when another one has it, or with the attribute NoiseRecovery and
     *        correlated noise that cannot be recovered (CorrelatedNoise::HasPairs())
     */
    void Claim(uint32_t worker);

    /** @return the attribute NoiseRecovery */
    bool CanRecover() const { return m_recovery; }

    /** @return what each worker adds */
    NoiseScales GetScales() const;

    /**
     * @param round t, whose noise the workers share from now on as it is
     * @return what is added in it
     */
    NoiseScales GetScalesOf(uint32_t round);

    /** @return workers who share noise in pairs; 0 without correlated noise */
    uint32_t GetWorkers() const;

    /**
     * @param round t
     * @return workers whose shared noise of that round has been revealed by others
     */
    const std::set<uint32_t>& GetRevealed(uint32_t round) const;

    /**
     * Signature of the trace Reveal.
     * @param rounds whose GetRevealed() has grown, in increasing order
     */
    using RevealTracedCallback = void (*)(const std::vector<uint32_t>& rounds);

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    double m_independent{0};                                    //!< attribute Independent
    bool m_recovery{false};                                     //!< attribute NoiseRecovery
    Ptr<CorrelatedNoise> m_correlated;                          //!< attribute Correlated
    Ptr<UniformRandomVariable> m_random;                        //!< gives the key
    bool m_hasKey{false};                                       //!< whether it did
    uint64_t m_key{0};                                          //!< of all streams
    std::set<uint32_t> m_claimed;                               //!< numbers of workers
    std::map<uint32_t, std::set<uint32_t>> m_revealed;          //!< workers, by round
    TracedCallback<const std::vector<uint32_t>&> m_revealTrace; //!< Reveal
};

} // namespace ns3::dlearn

#endif // DLEARN_WORKER_NOISE_H
