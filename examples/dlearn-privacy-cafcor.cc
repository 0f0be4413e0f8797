/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * dlearn-privacy --algorithm=cafcor. The defaults are the setting of the paper ("Towards
 * Trustworthy Federated Learning with Untrusted Participants", section 5.1, MNIST): 100
 * workers, 5 of them Byzantine, gradients clipped at 2.25, 30 rounds, delta 1e-4, all data of
 * a worker protected at once.
 *
 * Prints the noise and the epsilon that a worker spends with it, which --target-epsilon makes equal
 * to the target. epsilon_classic is what the paper prints for the same noise: Mironov's conversion
 * from Renyi differential privacy, which is never below.
 *
 * With --batch and --samples one example of a worker is protected, its batches being sampled; there
 * is no epsilon_classic then.
 */

#include "dlearn-privacy-planner.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-federated-privacy.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-privacy-plans.h"

#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** A number that was not given; ns-3's command line does not know. */
constexpr double NOT_GIVEN = std::numeric_limits<double>::quiet_NaN();

/** The planner of CafCor. */
class CafCorPlanner : public PrivacyPlanner
{
  public:
    void AddOptions(ProgramArguments& arguments) override;
    void Print() const override;
    Useless FindUseless() const override;

  private:
    Ptr<const ThreatModel> MakeModel(uint32_t byzantine) const;
    CafCorPlan MakePlan() const;

    std::string m_model{"secldp"};
    std::string m_view{"transcript"};
    int64_t m_workers{100};
    int64_t m_byzantine{5};
    int64_t m_colluding{0};
    double m_clip{2.25};
    int64_t m_rounds{30};
    double m_delta{1e-4};
    double m_sigmaCor{NOT_GIVEN};
    double m_sigmaInd{NOT_GIVEN};
    double m_targetEpsilon{0};
    int64_t m_batch{0};
    int64_t m_samples{0};
};

void
CafCorPlanner::AddOptions(ProgramArguments& arguments)
{
    arguments.AddValue("threat-model", GetThreatModelHelp(), m_model);
    arguments.AddValue("model", "the same as threat-model", m_model);
    arguments.AddValue("view", GetViewHelp(), m_view);
    arguments.AddValue("workers", "n: number of workers", m_workers, {"learners"});
    arguments.AddValue("byzantine", "f: number of Byzantine ones, less than half", m_byzantine);
    arguments.AddValue("colluding",
                       "q: Byzantine workers that tell the server their secrets; of secldp, the "
                       "other models say it themselves",
                       m_colluding);
    arguments.AddValue("clip", "C: clipping norm of a gradient", m_clip);
    arguments.AddValue("rounds", "T: number of rounds", m_rounds);
    arguments.AddValue("delta", "delta of every epsilon", m_delta);
    arguments.AddValue("sigma-cor", "Standard deviation of the noise of each pair", m_sigmaCor);
    arguments.AddValue("sigma-ind", "Standard deviation of the independent noise", m_sigmaInd);
    arguments.AddValue("target-epsilon",
                       "Find the noise that meets this epsilon; 0 for no. Of "
                       "--sigma-cor and --sigma-ind only the ratio counts then, by default the "
                       "one that leaves the least noise when Byzantine workers do not send theirs; "
                       "with --view=lemma the paper's",
                       m_targetEpsilon);
    arguments.AddValue("batch",
                       "b: examples of a mini-batch, each clipped, to protect one example; 0 to "
                       "protect all data of a worker",
                       m_batch,
                       {"batch-size"});
    arguments.AddValue("samples", "m: examples that a worker has, with --batch", m_samples);
}

Ptr<const ThreatModel>
CafCorPlanner::MakeModel(uint32_t byzantine) const
{
    const uint32_t colluding = RequireCount("colluding", m_colluding, 0, byzantine);
    return ParseThreatModel(m_model, m_view, byzantine, colluding);
}

CafCorPlan
CafCorPlanner::MakePlan() const
{
    CafCorPlan plan;
    plan.counts.workers = RequireCount("workers", m_workers, 1, 1000000000);
    plan.counts.byzantine = RequireCount("byzantine", m_byzantine, 0, (m_workers - 1) / 2);
    plan.model = MakeModel(plan.counts.byzantine);
    SetClippedRounds(plan, m_clip, m_rounds, m_delta);
    plan.noise = {std::isnan(m_sigmaCor) ? 0 : m_sigmaCor, std::isnan(m_sigmaInd) ? 0 : m_sigmaInd};
    RequireAtLeastZero("sigma-cor", plan.noise.correlated);
    RequireAtLeastZero("sigma-ind", plan.noise.independent);
    RequireAtLeastZero("target-epsilon", m_targetEpsilon);
    Require(m_targetEpsilon > 0 || !std::isnan(m_sigmaCor) || !std::isnan(m_sigmaInd),
            "give the noise, --sigma-cor and --sigma-ind, or a --target-epsilon");
    plan.samples = RequireCount("samples", m_samples, 0, 2000000000);
    plan.batch = RequireCount("batch", m_batch, 0, m_samples);
    return plan;
}

PrivacyPlanner::Useless
CafCorPlanner::FindUseless() const
{
    Useless useless;
    if (m_model != "secldp")
    {
        useless.push_back({"colluding", "threat-model secldp; the others say it themselves"});
    }
    if (m_model == "ldp" || m_model == "cdp")
    {
        useless.push_back({"sigma-cor", "threat-model secldp or byzldp"});
        if (m_targetEpsilon > 0)
        {
            useless.push_back({"sigma-ind", "target-epsilon 0"});
        }
    }
    if (m_batch == 0)
    {
        useless.push_back({"samples", "batch"});
    }
    return useless;
}

/** Say what a view that leaves messages out leaves out. */
void
PrintTranscript(const CafCorPlan& plan)
{
    const double whole = PlanTranscriptEpsilon(plan);
    if (whole > PlanCafCorEpsilon(plan))
    {
        std::cout << "# Only true while no Byzantine worker follows the protocol; whoever sees all "
                     "messages has\nepsilon_transcript="
                  << whole << "\n";
    }
}

void
CafCorPlanner::Print() const
{
    CafCorPlan plan = MakePlan();
    if (m_targetEpsilon > 0)
    {
        plan.noise = PlanCafCorNoise(plan, m_targetEpsilon);
    }
    std::cout << std::setprecision(15)
              << (plan.batch == 0 ? "# All data of a worker at once are protected.\n"
                                  : "# One example of a worker is protected.\n")
              << "threat_model=" << m_model << "\nview=" << m_view
              << "\nsigma_cor=" << plan.noise.correlated << "\nsigma_ind=" << plan.noise.independent
              << "\nepsilon=" << PlanCafCorEpsilon(plan) << "\n";
    PrintTranscript(plan);
    if (plan.batch == 0)
    {
        std::cout << "epsilon_classic="
                  << ClassicGaussianEpsilon(plan.rounds * CafCorRate(plan), plan.delta) << "\n";
    }
}

} // namespace

std::unique_ptr<PrivacyPlanner>
MakeCafCorPlanner()
{
    return std::make_unique<CafCorPlanner>();
}

} // namespace ns3::dlearn
