/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACKING_FIXTURE_H
#define DLEARN_TRACKING_FIXTURE_H

#include "support/dlearn-known-noise.h"

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/uinteger.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace ns3::dlearn
{

/** i hears i - 2^k mod n, k = 0, 1, ..; R_ij = 1/(in-degree of i) = C_ij = 1/(out-degree of j). */
inline Graph
ExponentialGraph(uint32_t learners)
{
    Graph graph(learners);
    const double degree = std::ceil(std::log2(learners));
    for (LearnerId i = 0; i < learners; ++i)
    {
        for (uint32_t step = 1; step < learners; step *= 2)
        {
            graph.SetWeight((i + step) % learners, i, 1 / degree);
        }
    }
    return graph;
}

/** States of five learners: a ring with two short cuts; rows sum to 1. */
inline Graph
UnevenStates()
{
    Graph graph(5);
    for (const auto& [receiver, sender, weight] :
         std::vector<std::tuple<LearnerId, LearnerId, double>>{{1, 0, 1},
                                                               {2, 1, 0.5},
                                                               {2, 0, 0.5},
                                                               {3, 2, 1},
                                                               {4, 3, 0.6},
                                                               {4, 1, 0.4},
                                                               {0, 4, 1}})
    {
        graph.SetWeight(receiver, sender, weight);
    }
    return graph;
}

/** Trackers of five learners: in- and out-weights differ at every one of them but learner 1. */
inline Graph
UnevenTrackers()
{
    Graph graph(5);
    for (const auto& [receiver, sender, weight] :
         std::vector<std::tuple<LearnerId, LearnerId, double>>{{4, 0, 0.9},
                                                               {3, 4, 0.5},
                                                               {2, 4, 0.3},
                                                               {2, 3, 0.8},
                                                               {1, 2, 0.7},
                                                               {0, 1, 0.7},
                                                               {0, 2, 0.2}})
    {
        graph.SetWeight(receiver, sender, weight);
    }
    return graph;
}

/** Least squares, each learner with samples of its own, and a loop in the place of a network. */
class TrackingLab
{
  public:
    /**
     * @param statesToUse R
     * @param trackersToUse C
     * @param dimension entries of a model
     * @param shard samples of each learner
     */
    TrackingLab(Graph statesToUse, Graph trackersToUse, uint32_t dimension, uint32_t shard)
        : states(std::move(statesToUse)),
          trackers(std::move(trackersToUse)),
          task(CreateObject<LeastSquaresTask>())
    {
        std::mt19937 engine(7);
        std::normal_distribution<double> normal;
        auto data = std::make_shared<Dataset>();
        const Eigen::Index samples = states.GetSize() * shard;
        data->features =
            Eigen::MatrixXd::NullaryExpr(dimension, samples, [&] { return normal(engine); });
        data->labels = Eigen::VectorXd::NullaryExpr(samples, [&] { return 3 * normal(engine); });
        task->SetData(data, nullptr);
        factory.SetTypeId(GradientTracking::GetTypeId());
        for (LearnerId i = 0; i < states.GetSize(); ++i)
        {
            SampleIndices own(shard);
            for (uint32_t k = 0; k < shard; ++k)
            {
                own[k] = i * shard + k;
            }
            shards.push_back(own);
        }
        MuteNoise();
    }

    /** No noise, no ledger; from then on. */
    void MuteNoise()
    {
        SetNoise(SilentType());
        factory.Set("PrivacyLedger", TypeIdValue(PrivacyAccount::GetTypeId()));
    }

    /** @param type of both noises */
    void SetNoise(TypeId type)
    {
        factory.Set("StateNoise", TypeIdValue(type));
        factory.Set("TrackerNoise", TypeIdValue(type));
    }

    /** A mechanism without noise. */
    static TypeId SilentType() { return Silence::GetTypeId(); }

    /** @return what learner i knows before the first round */
    LearnerContext GetContext(LearnerId i) const
    {
        LearnerContext context;
        context.id = i;
        context.task = task;
        context.stream = MakeStream(i);
        context.neighbors = {
            {ModelChannel::STATE, {states.GetInNeighbors(i), states.GetOutNeighbors(i)}},
            {ModelChannel::TRACKER, {trackers.GetInNeighbors(i), trackers.GetOutNeighbors(i)}}};
        context.initialModel = ModelVector::Constant(task->GetDimension(), 0.3 * (i + 1.0));
        return context;
    }

    /** @return learner i's samples, always the same */
    Ptr<SampleStream> MakeStream(LearnerId i) const
    {
        auto stream = CreateObject<SampleStream>();
        stream->SetShard(shards[i], 1);
        stream->AssignStreams(100 + i);
        return stream;
    }

    /** @param change called with every context before a learner gets it */
    void Setup(const std::function<void(LearnerContext&)>& change = {})
    {
        for (LearnerId i = 0; i < states.GetSize(); ++i)
        {
            rules.push_back(factory.Create<GradientTracking>());
            if (const auto noise = DynamicCast<KnownNoise>(rules[i]->GetStateNoise()))
            {
                noise->phase = i;
                DynamicCast<KnownNoise>(rules[i]->GetTrackerNoise())->phase = 100.0 + i;
            }
            LearnerContext context = GetContext(i);
            if (change)
            {
                change(context);
            }
            rules[i]->Setup(context);
        }
    }

    /** First half of a round of all learners; the messages are then in `inboxes`. */
    void Begin(uint32_t round)
    {
        inboxes.assign(states.GetSize(), Inbox());
        for (LearnerId i = 0; i < states.GetSize(); ++i)
        {
            Begin(round, i);
        }
    }

    /** First half of a round of one learner. */
    void Begin(uint32_t round, LearnerId i)
    {
        rules[i]->BeginRound(round);
        rules[i]->Compute();
        for (const Outgoing& message : rules[i]->Send())
        {
            for (const LearnerId to : message.recipients)
            {
                inboxes[to].arrivals[{i, message.channel}] = {message.values, round, {}};
            }
        }
    }

    /** Second half. */
    void End()
    {
        for (LearnerId i = 0; i < states.GetSize(); ++i)
        {
            rules[i]->EndRound(inboxes[i]);
        }
    }

    /**
     * Some rounds, every message being lost by chance.
     *
     * @param first round
     * @param last round
     * @param loss probability
     */
    void Run(uint32_t first, uint32_t last, double loss = 0)
    {
        for (uint32_t round = first; round <= last; ++round)
        {
            Begin(round);
            for (Inbox& inbox : inboxes)
            {
                for (auto arrival = inbox.arrivals.begin(); arrival != inbox.arrivals.end();)
                {
                    const bool lost = chance(generator) < loss;
                    arrival = lost ? inbox.arrivals.erase(arrival) : std::next(arrival);
                }
            }
            End();
        }
    }

    /** @return sum of y - g over all learners, by entry; mass under way not counted */
    Eigen::VectorXd GetSurplus() const
    {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(task->GetDimension());
        for (const auto& rule : rules)
        {
            sum += rule->GetTracker() - rule->GetTrackedGradient();
        }
        return sum;
    }

    /**
     * Let a learner end its round, and note which sums reached it: newest first, each entry for
     * itself.
     *
     * @param learner whose round ends, with its inbox
     */
    void EndAndNote(LearnerId learner)
    {
        for (const auto& [source, arrival] : inboxes[learner].arrivals)
        {
            if (source.second != ModelChannel::TRACKER)
            {
                continue;
            }
            Eigen::VectorXd& noted = m_noted
                                         .try_emplace({learner, source.first},
                                                      Eigen::VectorXd::Zero(arrival.values.size()))
                                         .first->second;
            for (Eigen::Index e = 0; e < noted.size(); ++e)
            {
                if (arrival.IsComplete() || arrival.present[static_cast<size_t>(e)])
                {
                    noted[e] = arrival.values[e];
                }
            }
        }
        rules[learner]->EndRound(inboxes[learner]);
    }

    /** @return mass that is under way: what senders pushed less what EndAndNote() saw arrive */
    Eigen::VectorXd GetUnderWay() const
    {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(task->GetDimension());
        for (LearnerId receiver = 0; receiver < rules.size(); ++receiver)
        {
            for (const auto& [sender, weight] : rules[receiver]->GetTrackerWeights())
            {
                const ModelVector& pushed = rules[sender]->GetLossCompensation()->GetPushed();
                if (pushed.size() > 0)
                {
                    sum += weight * pushed;
                }
                const auto noted = m_noted.find({receiver, sender});
                if (noted != m_noted.end())
                {
                    sum -= weight * noted->second;
                }
            }
        }
        return sum;
    }

    /** @return Hessian and right-hand side of one learner's mean loss, from its samples */
    std::pair<Eigen::MatrixXd, Eigen::VectorXd> GetNormalEquations(
        const SampleIndices& samples) const
    {
        const Eigen::Index d = task->GetDimension();
        Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(d, d);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(d);
        for (const uint32_t k : samples)
        {
            const Eigen::VectorXd x = task->GetTrain().features.col(k);
            hessian += x * x.transpose() / static_cast<double>(samples.size());
            right += x * task->GetTrain().labels[k] / static_cast<double>(samples.size());
        }
        return {hessian, right};
    }

    /** @return largest ||grad F(x_i)||^2 of all learners, F the mean of their losses */
    double GetError() const
    {
        const Eigen::Index d = task->GetDimension();
        Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(d, d);
        Eigen::VectorXd right = Eigen::VectorXd::Zero(d);
        for (const SampleIndices& shard : shards)
        {
            const auto [h, r] = GetNormalEquations(shard);
            hessian += h / static_cast<double>(shards.size());
            right += r / static_cast<double>(shards.size());
        }
        double largest = 0;
        for (const auto& rule : rules)
        {
            largest = std::max(largest, (hessian * rule->GetModel() - right).squaredNorm());
        }
        return largest;
    }

    Graph states;                             //!< R
    Graph trackers;                           //!< C
    Ptr<LeastSquaresTask> task;               //!< what is learned
    ObjectFactory factory;                    //!< makes the rules
    std::vector<SampleIndices> shards;        //!< by learner
    std::vector<Ptr<GradientTracking>> rules; //!< by learner
    std::vector<Inbox> inboxes;               //!< of the round that is going on

  private:
    std::map<std::pair<LearnerId, LearnerId>, Eigen::VectorXd> m_noted; //!< sums, by edge

    /** No noise at all. */
    class Silence : public KnownNoise
    {
      public:
        static TypeId GetTypeId()
        {
            static TypeId tid = TypeId("ns3::dlearn::test::Silence")
                                    .SetParent<NoiseMechanism>()
                                    .AddConstructor<Silence>();
            return tid;
        }

        void Perturb(uint32_t, VectorRef) override {}

      private:
        double DoGetScale(uint32_t) const override { return 0; }
    };

    std::mt19937 generator{11};                          //!< loses messages
    std::uniform_real_distribution<double> chance{0, 1}; //!< likewise
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACKING_FIXTURE_H
