/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ACCOUNT_SETTING_H
#define DLEARN_ACCOUNT_SETTING_H

#include "audit/dlearn-audited-loss.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <random>

/**
 * @file
 * What tests of the accounts of clients have in common: small workers, and chances.
 */

namespace ns3::dlearn::test
{

constexpr double DELTA = 1e-4;                         //!< of all accounts
constexpr double CLIP = 1;                             //!< of all gradients
inline const ModelVector MODEL = ModelVector::Zero(2); //!< that workers start from

/** @return the epsilon of a rate, as a ledger converts it */
inline double
ToEpsilon(double rate)
{
    return GaussianEpsilon(rate, DELTA);
}

/** @return a regression of two parameters */
inline Ptr<const Task>
MakeTask()
{
    auto set = std::make_shared<Dataset>();
    set->features = Eigen::MatrixXd::NullaryExpr(2, 4, [](auto i, auto j) {
        return std::sin(1.0 + 2 * i + 3 * j);
    });
    set->labels = Eigen::VectorXd::Ones(4);
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(set, nullptr);
    return task;
}

/** What a random run is made of. */
struct Setting
{
    Ptr<const ThreatModel> model; //!< who is curious
    WorkerCounts counts{6, 1};    //!< who takes part
    NoiseScales noise{1, 1};      //!< of each worker, or of the server
    double momentum{0.85};        //!< beta
    double budget{0};             //!< of every worker; 0 for none
    bool repair{false};           //!< whether corrections may be asked for

    CafCorPlan GetPlan() const
    {
        CafCorPlan plan;
        plan.model = model;
        plan.counts = counts;
        plan.noise = noise;
        plan.clip = CLIP;
        plan.delta = DELTA;
        return plan;
    }

    Ptr<GaussianLedger> MakeLedger() const
    {
        return CreateObjectWithAttributes<GaussianLedger>("Momentum",
                                                          BooleanValue(momentum > 0),
                                                          "Budget",
                                                          DoubleValue(budget),
                                                          "Delta",
                                                          DoubleValue(DELTA));
    }

    Ptr<CafCorWorker> MakeWorker() const
    {
        return CreateObjectWithAttributes<CafCorWorker>("Momentum",
                                                        DoubleValue(momentum),
                                                        "ClipNorm",
                                                        DoubleValue(CLIP));
    }

    GaussianAuditSetting GetAudit() const
    {
        GaussianAuditSetting audit;
        audit.workers = counts.workers;
        audit.noise = noise;
        audit.momentum = momentum;
        audit.sensitivity = 2 * CLIP;
        return audit;
    }
};

/** @return all four samples of the regression */
inline Ptr<LocalData>
MakeData()
{
    static const Ptr<const Task> task = MakeTask();
    const auto data = CreateObject<ShardData>();
    data->SetShard(task, {0, 1, 2, 3}, 0);
    return data;
}

/** Chances in a random run. */
class Chance
{
  public:
    explicit Chance(uint32_t seed)
        : m_random(seed)
    {
    }

    bool Happens(double probability)
    {
        return std::uniform_real_distribution<double>(0, 1)(m_random) < probability;
    }

    uint32_t Pick(uint32_t count)
    {
        return std::uniform_int_distribution<uint32_t>(0, count - 1)(m_random);
    }

    template <typename Container>
    void Shuffle(Container& container)
    {
        std::shuffle(container.begin(), container.end(), m_random);
    }

  private:
    std::mt19937 m_random; //!< of the test, not of what is tested
};

} // namespace ns3::dlearn::test

#endif // DLEARN_ACCOUNT_SETTING_H
