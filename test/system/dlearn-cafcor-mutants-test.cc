/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Whether the audit of CafCor sees what it is there for: an account written from the formulas, and
 * the mistakes that one can make in it, each of them caught in some of the same random runs.
 */

#include "audit/dlearn-federated-audit.h"

#include "ns3/dlearn-gaussian-accounting.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace ns3::dlearn
{
namespace
{

using Kind = TranscriptEvent::Kind;

constexpr uint32_t CAFCOR_RUNS = 250;

/** What an account may do wrong. */
struct Mistakes
{
    bool exposureFree{false};      //!< who was named lost pays as the others do
    bool maximum{false};           //!< the largest set that was lost counts, not the union
    bool stragglerFree{false};     //!< who was named lost before it sent pays nothing for that
    bool repairFree{false};        //!< what corrections tell counts for nothing
    bool halvedSensitivity{false}; //!< D / 2
    bool unsentFree{false};        //!< a gradient of a message that never left is free for ever
    bool centralShare{false};      //!< CDP: each release costs D / n, even if workers were missing
};

/** The account of one worker after a run, by the formulas. */
class WorkerAccount
{
  public:
    WorkerAccount(const FederatedRun& run, LearnerId worker, const Mistakes& mistakes)
        : m_run(run),
          m_worker(worker),
          m_mistakes(mistakes)
    {
    }

    /** @return epsilon; none where the formulas here do not apply */
    std::optional<double> GetEpsilon() const
    {
        const bool central = m_run.options.threatModel == "cdp";
        const bool known = // ldp is byzldp without shared noise
            m_run.options.threatModel == "byzldp" || m_run.options.threatModel == "ldp";
        if (central ? !m_mistakes.centralShare : !known)
        {
            return std::nullopt;
        }
        double rate = 0;
        for (const TranscriptEvent& event : m_run.events)
        {
            const bool counts = event.kind == Kind::DRAW && event.node == m_worker;
            if (counts && (central || IsTold(event.round)))
            {
                rate += central ? GetCentralRate() : GetRate(event.round);
            }
        }
        return rate == 0 ? 0 : GaussianEpsilon(rate, m_run.options.delta);
    }

  private:
    double GetSensitivity() const
    {
        return 2 * m_run.options.clip / (m_mistakes.halvedSensitivity ? 2 : 1);
    }

    double GetCentralRate() const
    {
        const double share = GetSensitivity() / m_run.options.learners;
        return share * share / (2 * m_run.noise.independent * m_run.noise.independent);
    }

    /** @return whether a message that left holds the gradient of a round */
    bool IsTold(uint32_t round) const
    {
        const bool exact = m_run.options.momentum == 0 || m_mistakes.unsentFree;
        return std::any_of(m_run.events.begin(), m_run.events.end(), [&](const auto& e) {
            return e.kind == Kind::SEND && e.node == m_worker &&
                   e.channel == ModelChannel::UPDATE &&
                   (exact ? e.round == round : e.round >= round);
        });
    }

    /**
     * Lemma A.4 with all f workers curious, among those whose noise was not revealed:
     * e = D^2/2 / ((n-f) s_cor^2 + s_ind^2) (1 + s_cor^2 / s_ind^2), and D^2 / (2 s_ind^2) for
     * a worker whose shared noise is known.
     */
    double GetRate(uint32_t round) const
    {
        std::set<LearnerId> revealed;
        size_t largest = 0;
        bool exposed = false;
        std::set<uint32_t> answered;
        for (const TranscriptEvent& event : m_run.events)
        {
            if (event.kind == Kind::ANSWER)
            {
                answered.insert(event.round);
            }
        }
        bool sent = false;
        for (const TranscriptEvent& event : m_run.events)
        {
            sent = sent || (event.kind == Kind::SEND && event.node == m_worker &&
                            event.channel == ModelChannel::UPDATE && event.round >= round);
            const bool reaches =
                m_run.options.momentum > 0 ? event.round >= round : event.round == round;
            if (event.kind != Kind::REQUEST || !reaches || answered.count(event.round) == 0 ||
                m_mistakes.repairFree)
            {
                continue;
            }
            revealed.insert(event.numbers.begin(), event.numbers.end());
            largest = std::max(largest, event.numbers.size());
            const bool named = std::count(event.numbers.begin(), event.numbers.end(), m_worker) > 0;
            exposed = exposed || (named && (sent || !m_mistakes.stragglerFree));
        }
        const double common = m_run.noise.correlated * m_run.noise.correlated;
        const double own = m_run.noise.independent * m_run.noise.independent;
        const double half = GetSensitivity() * GetSensitivity() / 2;
        if (exposed && !m_mistakes.exposureFree)
        {
            return half / own;
        }
        const double left =
            std::max(1.0,
                     static_cast<double>(m_run.options.learners) - m_run.options.byzantine -
                         (m_mistakes.maximum ? largest : revealed.size()));
        return half / (left * common + own) * (1 + common / own);
    }

    const FederatedRun& m_run;  //!< what happened
    LearnerId m_worker;         //!< whose account
    const Mistakes& m_mistakes; //!< what it does wrong
};

TEST(CafCorMutants, EveryMistakeIsCaught)
{
    std::map<std::string, Mistakes> variants;
    variants["none"] = {};
    variants["exposure not recorded"].exposureFree = true;
    variants["union replaced by maximum"].maximum = true;
    variants["straggler forgotten"].stragglerFree = true;
    variants["repairs not recorded"].repairFree = true;
    variants["sensitivity halved"].halvedSensitivity = true;
    variants["unsent gradient free"].unsentFree = true;
    variants["D/n under loss"].centralShare = true;
    std::map<std::string, double> worst;
    std::map<std::string, uint32_t> judged;
    const FederatedAudit audit("cafcor", false, [&](const FederatedRun& run, LearnerId worker) {
        const double rate = FederatedAudit::GetTrueRate(run, worker);
        for (const auto& [name, mistakes] : variants)
        {
            const auto epsilon = WorkerAccount(run, worker, mistakes).GetEpsilon();
            if (epsilon && rate > 0)
            {
                const double truth = GaussianEpsilon(rate, run.options.delta);
                const double ratio =
                    std::isinf(truth) ? (std::isinf(*epsilon) ? 1 : 0) : *epsilon / truth;
                worst.emplace(name, std::numeric_limits<double>::infinity());
                worst[name] = std::min(worst[name], ratio);
                ++judged[name];
            }
        }
        return run.accounts.at(worker)->GetEpsilon();
    });
    for (uint64_t run = 1; run <= CAFCOR_RUNS; ++run)
    {
        EXPECT_GE(audit.Run(run).smallest, 1 - 1e-9) << "the workers' own account, run " << run;
    }
    for (const auto& [name, mistakes] : variants)
    {
        EXPECT_GT(judged[name], 50U) << name;
        if (name == "none")
        {
            EXPECT_GE(worst[name], 1 - 1e-9);
        }
        else
        {
            EXPECT_LT(worst[name], 0.99) << name;
        }
        RecordProperty(name, std::to_string(worst[name]));
    }
}

} // namespace
} // namespace ns3::dlearn
