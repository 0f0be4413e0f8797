/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOCAL_DATA_H
#define DLEARN_LOCAL_DATA_H

#include "dlearn-task.h"

#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The data of one client: its task, and its samples of every round.
 *
 * Each client owns one; several may share a task whose data never change.
 */
class LocalData : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Choose or generate the samples of a round; draws random numbers. Rounds must be passed in
     * increasing order; rounds without the client may be omitted.
     *
     * @param round the round
     * @throw std::invalid_argument when the round is not greater than the one before
     */
    virtual void BeginRound(uint32_t round) = 0;

    /**
     * @return the objective. Its dimension is known from the start; its training data hold
     *         the samples of the round after BeginRound()
     */
    virtual Ptr<const Task> GetTask() const = 0;

    /**
     * @return positions of the round's samples in the task's training data, in the order of
     *         use
     * @throw std::invalid_argument before the first BeginRound()
     */
    virtual const SampleIndices& GetSamples() const = 0;

    /** @return n_i, samples of a round: the client's weight in averages */
    virtual uint32_t GetSampleCount() const = 0;

    /**
     * @return largest probability that a sample of the client takes part in a round, for privacy
     *         accounts of samples; 1 unless overridden
     */
    virtual double GetSamplingShare() const { return 1; }

    /** @return length of GetSamples(), passes included; before the first round what it will be */
    virtual size_t GetRoundSize() const;

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

  protected:
    /**
     * Note that a round begins; refuses one that does not come after the last.
     *
     * @param round the round
     * @throw std::invalid_argument naming both rounds
     */
    void StartRound(uint32_t round);

    /** @throw std::invalid_argument before the first round */
    void CheckStarted() const;

  private:
    bool m_started{false};   //!< whether a round has begun
    uint32_t m_lastRound{0}; //!< the round that began last
};

} // namespace ns3::dlearn

#endif // DLEARN_LOCAL_DATA_H
