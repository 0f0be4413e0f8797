/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RULE_FIXTURE_H
#define DLEARN_RULE_FIXTURE_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <vector>

namespace ns3::dlearn
{

/**
 * A task for tests of rules: l(theta, x) = (theta - x)^T diag(h) (theta - x) / 2, so that the
 * gradient diag(h) (theta - x) can be written down anywhere. Never clips.
 */
class BowlTask : public ConvexTask
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::BowlTask")
                                .SetParent<ConvexTask>()
                                .AddConstructor<BowlTask>();
        return tid;
    }

    /** @param samples one column x a sample */
    void SetSamples(const Eigen::MatrixXd& samples)
    {
        auto data = std::make_shared<Dataset>();
        data->features = samples;
        data->labels = Eigen::VectorXd::Zero(samples.cols());
        SetData(data, nullptr);
        m_stiffness = Eigen::VectorXd::LinSpaced(samples.rows(), 0.5, 1.5);
    }

    /** @return h */
    const Eigen::VectorXd& GetStiffness() const { return m_stiffness; }

    uint32_t GetDimension() const override { return GetTrain().GetFeatures(); }

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override
    {
        double loss = 0;
        for (size_t k = 0; k < samples.indices.size(); ++k)
        {
            const Eigen::VectorXd away = theta - GetTrain().features.col(samples.indices[k]);
            loss += samples.weights[k] / 2 * m_stiffness.dot(away.cwiseAbs2());
        }
        return loss;
    }

    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double,
                         VectorRef gradient) const override
    {
        gradient = GetRegularization() * theta;
        for (size_t k = 0; k < samples.indices.size(); ++k)
        {
            const Eigen::VectorXd away = theta - GetTrain().features.col(samples.indices[k]);
            gradient += samples.weights[k] * m_stiffness.cwiseProduct(away);
        }
    }

    double GetAccuracy(ConstVectorRef) const override { return 0; }

    double GetFlopsPerSample() const override { return 1; }

    Eigen::MatrixXd GetHessian(ConstVectorRef, const WeightedSamples&) const override
    {
        return m_stiffness.asDiagonal();
    }

    double GetSmoothness() const override
    {
        return m_rough ? std::numeric_limits<double>::infinity()
                       : m_stiffness.maxCoeff() + GetRegularization();
    }

  protected:
    void CheckData() const override {}

    double GetGradientBound() const override { return m_bound; }

  public:
    double m_bound{1};   //!< what GetGradientBound() claims
    bool m_rough{false}; //!< whether GetSmoothness() does not know
  private:
    Eigen::VectorXd m_stiffness; //!< h
};

/** Five learners on a ring with weights 0.3 and samples of their own, in the paper's way. */
class Ring
{
  public:
    static constexpr uint32_t LEARNERS = 5;  //!< learners
    static constexpr uint32_t DIMENSION = 3; //!< entries of a model
    static constexpr uint32_t SHARD = 8;     //!< samples of a learner
    static constexpr uint32_t BATCH = 2;     //!< samples a round

    /** @param type the rule of all learners; it still has to be set up */
    explicit Ring(const TypeId& type)
        : graph(LEARNERS),
          task(CreateObject<BowlTask>())
    {
        // Any fixed numbers will do; these have no structure that could hide a mistake.
        Eigen::MatrixXd samples(DIMENSION, LEARNERS * SHARD);
        for (Eigen::Index k = 0; k < samples.size(); ++k)
        {
            samples.data()[k] = std::sin(1.0 + 7.3 * static_cast<double>(k * k % 101));
        }
        task->SetSamples(samples);
        ObjectFactory factory;
        factory.SetTypeId(type);
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            graph.AddEdge(i, (i + 1) % LEARNERS, 0.3);
            rules.push_back(factory.Create<UpdateRule>());
            auto stream = CreateObject<SampleStream>();
            SampleIndices shard(SHARD);
            for (uint32_t k = 0; k < SHARD; ++k)
            {
                shard[k] = i * SHARD + k;
            }
            stream->SetShard(shard, BATCH);
            stream->AssignStreams(100 + i);
            streams.push_back(stream);
            rules.back()->AssignStreams(200 + 10 * i);
        }
    }

    /**
     * @param i a learner
     * @return what it knows before the first round
     */
    LearnerContext GetContext(LearnerId i) const
    {
        LearnerContext context;
        context.id = i;
        context.task = task;
        context.stream = streams[i];
        const Neighbors neighbors{graph.GetInNeighbors(i), graph.GetOutNeighbors(i)};
        context.neighbors[ModelChannel::STATE] = neighbors;
        context.neighbors[ModelChannel::TRACKER] = neighbors; // for rules that have a tracker
        context.initialModel = Eigen::VectorXd::Constant(DIMENSION, 0.1 * i);
        return context;
    }

    /** Set all learners up. */
    void Setup()
    {
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            rules[i]->Setup(GetContext(i));
        }
    }

    /** @return theta of all learners, one column each */
    Eigen::MatrixXd GetModels() const
    {
        Eigen::MatrixXd models(DIMENSION, LEARNERS);
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            models.col(i) = rules[i]->GetModel();
        }
        return models;
    }

    /**
     * Run the first half of a round of all learners.
     *
     * @param round t
     * @return what they sent, one column each
     */
    Eigen::MatrixXd Begin(uint32_t round)
    {
        const auto length = rules[0]->GetLength(ModelChannel::STATE);
        Eigen::MatrixXd sent = Eigen::MatrixXd::Zero(length, LEARNERS);
        inboxes.assign(LEARNERS, Inbox());
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            if (absent.count(i) > 0)
            {
                continue;
            }
            rules[i]->BeginRound(round);
            rules[i]->Compute();
            for (const Outgoing& message : rules[i]->Send())
            {
                const ModelVector read = compress ? compress(message.values) : message.values;
                rules[i]->Sent(message.channel, [&read] { return read; });
                sent.col(i) = message.values;
                for (LearnerId to : message.recipients)
                {
                    inboxes[to].arrivals[{i, message.channel}] = {read, round, {}};
                }
            }
        }
        return sent;
    }

    /** Run the second half with `inboxes`, which a test may have thinned out. */
    void End()
    {
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            if (absent.count(i) == 0)
            {
                rules[i]->EndRound(inboxes[i]);
            }
        }
    }

    /**
     * Mean gradient of samples at a point, summed up one by one.
     *
     * @param theta where
     * @param from first sample
     * @param to behind the last sample
     * @return the mean gradient
     */
    Eigen::VectorXd MeanGradient(const Eigen::VectorXd& theta,
                                 SampleIndices::const_iterator from,
                                 SampleIndices::const_iterator to) const
    {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(DIMENSION);
        for (auto k = from; k != to; ++k)
        {
            sum += task->GetStiffness().asDiagonal() * (theta - task->GetTrain().features.col(*k));
        }
        return sum / static_cast<double>(to - from) + task->GetRegularization() * theta;
    }

    /**
     * @param points where to evaluate, one column a learner
     * @param history whether over all samples that a learner has seen, or the newest batch
     * @return mean gradients, one column a learner
     */
    Eigen::MatrixXd Gradients(const Eigen::MatrixXd& points, bool history) const
    {
        Eigen::MatrixXd gradients(DIMENSION, LEARNERS);
        for (LearnerId i = 0; i < LEARNERS; ++i)
        {
            const SampleIndices& log = streams[i]->GetLog();
            gradients.col(i) =
                MeanGradient(points.col(i), history ? log.begin() : log.end() - BATCH, log.end());
        }
        return gradients;
    }

    Graph graph;                                             //!< which learners hear each other
    Ptr<BowlTask> task;                                      //!< what is learned
    std::vector<Ptr<UpdateRule>> rules;                      //!< by learner
    std::vector<Ptr<SampleStream>> streams;                  //!< by learner
    std::vector<Inbox> inboxes;                              //!< of the round that is going on
    std::set<LearnerId> absent;                              //!< learners that take no part in it
    std::function<ModelVector(const ModelVector&)> compress; //!< what receivers read; null: all
};

} // namespace ns3::dlearn

#endif // DLEARN_RULE_FIXTURE_H
