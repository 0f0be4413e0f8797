/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_SAMPLING_H
#define DLEARN_CLIENT_SAMPLING_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  What a server knows of a client. */
struct ClientView
{
    bool idle{true};       //!< has no open request
    bool suspected{false}; //!< seems to have failed
    bool waits{false};     //!< its update of the newest model waits, and a client counts once
    std::optional<uint32_t> answered; //!< round of the newest model that it has answered
    Time duration;                    //!< from this model to the answer; 0: unknown
    uint32_t bytes{0};                //!< of the answer
    std::map<std::string, double>
        figures; //!< newest of each name; at first samples, the planned n_i

    /** @return the figure of a name, or @p unknown if there is none */
    double GetFigure(const std::string& name, double unknown) const;
};

/** @ingroup dlearn
 *  What a server knows when it plans a round. */
struct RoundView
{
    uint32_t round{0};                       //!< version of the newest model
    std::map<LearnerId, ClientView> clients; //!< of the server now, see FederatedServer::Admit()
};

/** @ingroup dlearn
 *  The range of a number over all rounds. */
struct CountRange
{
    size_t fewest{0}; //!< no round has fewer
    size_t most{0};   //!< no round has more
};

/** @ingroup dlearn
 *  The choice of the clients that take part in a synchronous round. */
class ClientSampling : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @param clients all clients, in order
     * @throw std::invalid_argument when an attribute is out of its range or does not fit them
     */
    virtual void Setup(const std::vector<LearnerId>& clients) = 0;

    /** @return the clients that take part in a round, in order */
    virtual std::vector<LearnerId> Choose(const RoundView& view) = 0;

    /** @return bounds of the number of clients in a round, after Setup() */
    virtual CountRange CountChosen() const = 0;

    /** @return how many updates are enough, after Setup(): a round does not wait for more */
    virtual size_t CountEnough() const { return CountChosen().most; }

    /** @return the figures of updates that it needs (FederatedClient, Reports) */
    virtual std::vector<std::string> GetFigures() const { return {}; }

    /** Fix the random streams, from @p stream on. @return number of streams used */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }
};

/**
 * @ingroup dlearn
 * Samplings of N clients: Count or, if Count is 0, the share Fraction of all, rounded, but at least
 * 1 (the C of McMahan et al.). With OverSelection o > 1 ceil(o N) of them take part, and N updates
 * are enough, as in production (Bonawitz et al., Towards federated learning at scale, 2019: 1.3).
 *
 * Clients that are suspected to have failed are chosen only if there are not enough others.
 */
class CountedSampling : public ClientSampling
{
  public:
    static TypeId GetTypeId();

    void Setup(const std::vector<LearnerId>& clients) override;
    std::vector<LearnerId> Choose(const RoundView& view) override;

    CountRange CountChosen() const override { return {m_asked, m_asked}; }

    size_t CountEnough() const override { return m_enough; }

    int64_t AssignStreams(int64_t stream) override;

    /** @return the share of the clients that take part, not rounded; after Setup() */
    double GetShare() const;

    bool HasOverSelection() const { return m_overSelection > 1; }

  protected:
    /** @return @p count of the clients @p alive, which are in order; fewer if CountChosen() says */
    virtual std::vector<LearnerId> Pick(const RoundView& view,
                                        const std::vector<LearnerId>& alive,
                                        size_t count) = 0;

    /** There are so many clients now. */
    void Count(size_t clients);

    size_t m_clients{0}; //!< number of them
    size_t m_asked{0};   //!< clients of a round
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()};

  private:
    bool IsSetUp() const { return m_asked > 0; }

    double m_fraction{1};
    uint32_t m_count{0};
    double m_overSelection{1};
    size_t m_enough{0};
};

/** @ingroup dlearn
 *  A new uniform draw without replacement in every round, suspected clients included. */
class UniformSampling : public CountedSampling
{
  public:
    static TypeId GetTypeId();
    std::vector<LearnerId> Choose(const RoundView& view) override;

  protected:
    std::vector<LearnerId> Pick(const RoundView& view,
                                const std::vector<LearnerId>& alive,
                                size_t count) override;
};

/**
 * @ingroup dlearn
 * Each client takes part with the probability GetShare(), independently of all others and of other
 * rounds (Poisson sampling), suspected clients included. A round may be without clients. It waits
 * for all of its clients, unless OverSelection is above 1.
 */
class PoissonSampling : public UniformSampling
{
  public:
    static TypeId GetTypeId();
    std::vector<LearnerId> Choose(const RoundView& view) override;

    CountRange CountChosen() const override { return {0, m_clients}; }

    size_t CountEnough() const override;
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

    std::vector<LearnerId> Choose(const RoundView& view) override;

    CountRange CountChosen() const override;

    /** @return the clients of each round until the plan is repeated; after Setup() */
    const std::vector<std::vector<LearnerId>>& GetRounds() const { return m_rounds; }

  private:
    bool IsSetUp() const { return !m_rounds.empty(); }

    std::string m_plan;
    std::vector<std::vector<LearnerId>> m_rounds;
};

/** @ingroup dlearn
 *  The clients with the highest scores; those without an answer so far come first. */
class RankedSampling : public CountedSampling
{
  public:
    static TypeId GetTypeId();

  protected:
    std::vector<LearnerId> Pick(const RoundView& view,
                                const std::vector<LearnerId>& alive,
                                size_t count) override;

    /** @return the score of a client; infinite: unknown */
    virtual double GetScore(const ClientView& client) const = 0;
};

/** @ingroup dlearn
 *  The clients whose last answer came fastest. */
class FastestSampling : public RankedSampling
{
  public:
    static TypeId GetTypeId();

  protected:
    double GetScore(const ClientView& client) const override;
};

/** @ingroup dlearn
 *  Those whose last answer is the oldest: in turn, if nothing is lost. */
class RoundRobinSampling : public RankedSampling
{
  public:
    static TypeId GetTypeId();

  protected:
    double GetScore(const ClientView& client) const override;
};

/** @ingroup dlearn
 *  The clients with the highest loss reported last. */
class LossSampling : public RankedSampling
{
  public:
    static TypeId GetTypeId();

    std::vector<std::string> GetFigures() const override { return {"loss"}; }

  protected:
    double GetScore(const ClientView& client) const override;
};

/** @ingroup dlearn
 *  The clients with the highest value of a figure, such as their battery or signal. */
class BestSampling : public RankedSampling
{
  public:
    static TypeId GetTypeId();
    void Setup(const std::vector<LearnerId>& clients) override;

    std::vector<std::string> GetFigures() const override
    {
        return m_figure.empty() ? std::vector<std::string>() : std::vector{m_figure};
    }

  protected:
    double GetScore(const ClientView& client) const override;

  private:
    std::string m_figure;
};

/**
 * @ingroup dlearn
 * Power-of-Choice (Cho, Wang, Joshi: Client selection in federated learning: convergence analysis
 * and power-of-choice selection strategies, 2020): of d candidates, drawn without replacement in
 * proportion to their samples, the N with the highest loss. This is the paper's variant rpow-d: the
 * server knows the losses that came with the last updates, and takes those of others as infinite,
 * instead of asking all candidates first.
 */
class PowerOfChoiceSampling : public LossSampling
{
  public:
    static TypeId GetTypeId();

  protected:
    std::vector<LearnerId> Pick(const RoundView& view,
                                const std::vector<LearnerId>& alive,
                                size_t count) override;

  private:
    uint32_t m_candidates{0};
};

/**
 * @ingroup dlearn
 * Oort (Lai et al., OSDI 2021, Algorithm 1). In round R = 1, 2, ... the clients that have answered
 * have the utility
 *
 *     |B| rms + sqrt(0.1 ln R / L),   times (T / t)^Penalty if t > T,
 *
 * with |B| the samples of the last answer, rms the root mean square of their losses, L its round
 * and t its duration. T is a percentile of these durations, 30 at first. Each 20 rounds it grows by
 * 5, if the sum of |B| rms over all answers is less than in the 20 rounds before. (1 - e) N of
 * these clients are drawn in proportion to their utility, from those that have at least 95 % of
 * that of rank (1 - e) N. The others, e N, are drawn uniformly from clients that have not answered.
 * e is Exploration Decay^(R - 1), at least LeastExploration.
 *
 * Differences from the paper: nothing is known of the speed of clients that have not answered. The
 * percentile is that of the authors' program; the paper has an absolute time. Utilities are not
 * clipped, and there is no limit on a client's rounds.
 */
class OortSampling : public CountedSampling
{
  public:
    static TypeId GetTypeId();

    std::vector<std::string> GetFigures() const override { return {"samples", "rms"}; }

  protected:
    std::vector<LearnerId> Pick(const RoundView& view,
                                const std::vector<LearnerId>& alive,
                                size_t count) override;

  private:
    /** Note the answers of the last round. @return T in seconds */
    double FindPreferredDuration(const RoundView& view);

    double m_exploration{0.9};
    double m_decay{0.98};
    double m_least{0.2};
    double m_penalty{2};
    std::vector<double> m_history; //!< sum of |B| rms over the answers to each round
    double m_percentile{30};
};

/**
 * @ingroup dlearn
 * FedCS (Nishio and Yonetani, 2019, Algorithm 3): as many as possible of N clients, which are drawn
 * uniformly, before the Deadline. In each step the client that adds the least time,
 *
 *     s + max(0, c - E),
 *
 * joins if E, the estimated time of those that have joined, remains less than Deadline with it. c
 * is the time of its last training and s the rest of the time to its last answer: clients train at
 * the same time and send one after the other. Clients that have not answered count as 0, so that
 * they are tried. If none fits, the fastest takes part.
 */
class FedCsSampling : public CountedSampling
{
  public:
    static TypeId GetTypeId();

    CountRange CountChosen() const override { return {1, m_asked}; }

    std::vector<std::string> GetFigures() const override { return {"seconds"}; }

  protected:
    std::vector<LearnerId> Pick(const RoundView& view,
                                const std::vector<LearnerId>& alive,
                                size_t count) override;

  private:
    Time m_deadline;
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

/**
 * @param items with weights greater than 0
 * @param count how many to draw, at most their number
 * @param random draws
 * @return @p count of them without replacement, each draw in proportion to the weights that remain,
 *         in increasing order
 */
std::vector<LearnerId> DrawInProportion(std::vector<std::pair<LearnerId, double>> items,
                                        size_t count,
                                        UniformRandomVariable& random);

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_SAMPLING_H
