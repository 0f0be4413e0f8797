/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_SAMPLING_H
#define DLEARN_CLIENT_SAMPLING_H

#include "ns3/dlearn-types.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Between which numbers something is in all rounds.
 */
struct CountRange
{
    size_t fewest{0}; //!< in a round
    size_t most{0};   //!< in a round
};

/**
 * @ingroup dlearn
 * Which clients take part in a round.
 */
class ClientSampling : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param clients all clients, in order
     * @throw std::invalid_argument when an attribute is out of its range or does not fit them
     */
    virtual void Setup(const std::vector<LearnerId>& clients) = 0;

    /**
     * @param round the round
     * @return those that take part, in order
     */
    virtual std::vector<LearnerId> Choose(uint32_t round) = 0;

    /** @return how many take part in a round; after Setup() */
    virtual CountRange CountChosen() const = 0;

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used; 0 unless overridden
     */
    virtual int64_t AssignStreams(int64_t stream);
};

/**
 * @ingroup dlearn
 * Every round a fresh uniform draw without replacement: Count clients, or when that is 0 the
 * share Fraction of all, rounded to the nearest number but at least 1 (the C of McMahan et al.).
 */
class UniformSampling : public ClientSampling
{
  public:
    static TypeId GetTypeId();
    UniformSampling();
    ~UniformSampling() override;

    void Setup(const std::vector<LearnerId>& clients) override;
    std::vector<LearnerId> Choose(uint32_t round) override;
    CountRange CountChosen() const override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    /** @return whether Setup() was called */
    bool IsSetUp() const { return m_size > 0; }

    double m_fraction{1};                //!< attribute Fraction
    uint32_t m_count{0};                 //!< attribute Count
    std::vector<LearnerId> m_clients;    //!< all
    uint32_t m_size{0};                  //!< clients of a round
    Ptr<UniformRandomVariable> m_random; //!< draws
};

/**
 * @ingroup dlearn
 * A fixed plan, repeated when it ends: rounds separated by `;`, clients of a round by `,`, ranges
 * as `1-5`. So `1-3;4,5` alternates between clients 1, 2, 3 and clients 4, 5.
 */
class ScheduledSampling : public ClientSampling
{
  public:
    static TypeId GetTypeId();
    void Setup(const std::vector<LearnerId>& clients) override;

    std::vector<LearnerId> Choose(uint32_t round) override
    {
        return m_rounds.at(round % m_rounds.size());
    }

    CountRange CountChosen() const override;

    /** @return the clients of each round until the plan is repeated; after Setup() */
    const std::vector<std::vector<LearnerId>>& GetRounds() const { return m_rounds; }

  private:
    /** @return whether Setup() was called */
    bool IsSetUp() const { return !m_rounds.empty(); }

    std::string m_plan;                           //!< attribute Plan
    std::vector<std::vector<LearnerId>> m_rounds; //!< as the plan says
};

/**
 * @param items anything
 * @param count how many to draw, at most their number
 * @param random draws
 * @return @p count of them, uniformly without replacement, in increasing order
 */
std::vector<LearnerId> DrawWithoutReplacement(std::vector<LearnerId> items,
                                              size_t count,
                                              UniformRandomVariable& random);

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_SAMPLING_H
