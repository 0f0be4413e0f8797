/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-audit.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-fault-draws.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-run-results.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/double.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

// Random streams, far enough apart.
constexpr int64_t PLAN_STREAM = 0;         //!< the plan of a run and neighbours; see PeerAuditData
constexpr int64_t LEARNER_STREAM = 1000;   //!< rules and compute models
constexpr int64_t EXCHANGE_STREAM = 2000;  //!< compressors
constexpr int64_t FAULT_STREAM = 50000;    //!< faults
constexpr int64_t NETWORK_STREAM = 100000; //!< devices, protocols

constexpr int64_t STREAMS = 50; //!< of a learner

/** @return a type of this module by its name without the namespace */
TypeId
FindType(const std::string& name)
{
    return TypeId::LookupByName("ns3::dlearn::" + name);
}

} // namespace

PeerAudit::PeerAudit(PeerAuditParts parts)
    : m_parts(std::move(parts))
{
}

PeerAudit::~PeerAudit() = default;

double
PeerAudit::Run(uint64_t run)
{
    RngSeedManager::SetRun(run);
    const auto random = CreateSeeded<UniformRandomVariable>(PLAN_STREAM, 0);
    m_plan = std::make_unique<PeerAuditPlan>(*random);
    m_data.emplace(*m_plan, *random);
    DrawParts(*random);
    const auto network = CreateNetwork(m_plan->network);
    network->Build(m_plan->graph, m_plan->links);
    network->AssignStreams(NETWORK_STREAM);
    CreateLearners(*network);
    AddFaults(*network);
    Simulator::Stop(m_plan->stop);
    Simulator::Run();
    double worst = std::numeric_limits<double>::infinity();
    for (LearnerId id = 0; id < m_learners.size(); ++id)
    {
        worst = Least(worst, Compare(id, *random));
    }
    m_learners.clear();
    Simulator::Destroy();
    return worst;
}

void
PeerAudit::AddFaults(const Network& network) const
{
    if (!m_parts.faults)
    {
        return;
    }
    const auto random = CreateSeeded<UniformRandomVariable>(FAULT_STREAM, 0);
    FaultSchedule faults;
    const bool tcp = m_plan->transport == "TcpTransport";
    const Time end = Min(m_plan->stop, MilliSeconds(200)); // most runs are over then
    for (const std::string& event : DrawFaults(m_plan->graph, Time(0), end, {!tcp, {}}, *random))
    {
        faults.Add(event);
    }
    std::vector<Ptr<LearnerApplication>> learners;
    for (const Learner& learner : m_learners)
    {
        learners.push_back(learner.application);
    }
    faults.Install(m_plan->graph, network, learners, FAULT_STREAM + 1);
}

bool
PeerAudit::IsAccepted() const
{
    try
    {
        LearnerContext context;
        context.task = m_data->GetTask();
        context.stream = m_data->MakeStream(0);
        const Neighbors neighbors{m_plan->graph.GetInNeighbors(0),
                                  m_plan->graph.GetOutNeighbors(0)};
        context.neighbors = {{ModelChannel::STATE, neighbors}, {ModelChannel::TRACKER, neighbors}};
        const AuditedRule audited = MakeAuditedRule(m_parts, *m_plan);
        audited.rule->Setup(context);
        audited.rule->AssignStreams(0);
        audited.rule->BeginRound(0);
        audited.rule->Compute();
        audited.rule->Send(); // some combinations are refused when they are used
        audited.rule->EndRound({});
        return true;
    }
    catch (const std::invalid_argument&)
    {
        return false; // one of the refusals that keep accounts true
    }
}

void
PeerAudit::DrawParts(UniformRandomVariable& random)
{
    constexpr int TRIES = 20;
    for (int k = 0; k < TRIES; ++k)
    {
        m_plan->DrawParts(random);
        if (IsAccepted())
        {
            return;
        }
    }
    m_plan->DropParts();
}

void
PeerAudit::ConfigureExchange(MessageExchange& exchange, LearnerId id) const
{
    exchange.SetAttribute("FloatBits", UintegerValue(m_plan->floatBits));
    exchange.SetAttribute("Transport", TypeIdValue(FindType(m_plan->transport)));
    if (m_parts.compressor.HasConstructor())
    {
        exchange.SetAttribute("Compressor", TypeIdValue(m_parts.compressor));
    }
    else
    {
        Compress("compress", m_plan->compress, exchange);
    }
    exchange.AssignStreams(EXCHANGE_STREAM + STREAMS * id);
}

void
PeerAudit::CreateLearners(const Network& network)
{
    m_learners.clear();
    for (LearnerId id = 0; id < m_plan->learners; ++id)
    {
        m_learners.push_back({nullptr, nullptr, MakeAuditedRule(m_parts, *m_plan), nullptr});
    }
    m_plan->Suit(*m_learners.front().inner.rule);
    PeerHelper helper;
    helper.SetAttribute("Rule", TypeIdValue(RecordedRule::GetTypeId()));
    helper.SetAttribute("Rounds", UintegerValue(m_plan->rounds));
    helper.SetAttribute("RoundPolicy", TypeIdValue(FindType(m_plan->roundPolicy)));
    helper.SetAttribute(
        "MissingPolicy",
        TypeIdValue(FindType(m_plan->lastReceived ? "LastReceived" : "SkipMissing")));
    helper.SetAttribute("UsePartial", BooleanValue(m_plan->usePartial));
    helper.SetAttribute("ResponseTimeout", TimeValue(MilliSeconds(100)));
    helper.SetAttribute("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    const auto applications = helper.Create(network);
    std::vector<Ptr<SampleStream>> streams;
    for (LearnerId id = 0; id < m_plan->learners; ++id)
    {
        Learner& learner = m_learners[id];
        learner.application = applications[id];
        learner.recorder = DynamicCast<RecordedRule>(applications[id]->GetRule());
        learner.recorder->SetInner(learner.inner.rule);
        const auto policy = applications[id]->GetRoundPolicy();
        policy->SetAttributeFailSafe("Deadline", TimeValue(m_plan->deadline));
        policy->SetAttributeFailSafe("Period", TimeValue(m_plan->deadline));
        policy->SetAttributeFailSafe("Fraction", DoubleValue(m_plan->fraction));
        applications[id]->AssignStreams(LEARNER_STREAM + STREAMS * id);
        ConfigureExchange(*applications[id]->GetExchange(), id);
        learner.wire = std::make_unique<WireRecorder>(*applications[id]->GetExchange());
        streams.push_back(m_data->MakeStream(id));
    }
    PeerHelper::Connect(applications,
                        network,
                        m_plan->graph,
                        m_plan->graph,
                        m_data->GetTask(),
                        streams);
    m_plan->churn.Install({applications.begin(), applications.end()});
}

SampleIndices
PeerAudit::ChooseSamples(LearnerId id, UniformRandomVariable& random) const
{
    const auto& learner = m_learners[id];
    const std::string unit = DescribeUnit(learner.inner.base);
    const SampleStream& stream = *learner.application->GetContext().stream;
    const SampleIndices& log = stream.GetLog();
    UintegerValue window;
    const bool keeps = learner.inner.base->GetAttributeFailSafe("HistoryWindow", window);
    if (unit == "learner" || log.empty() || (unit == "batch" && !keeps))
    {
        return m_data->GetShard(id);
    }
    if (unit == "sample")
    {
        return {log[random.GetInteger(0, static_cast<uint32_t>(log.size() - 1))]};
    }
    // The first batch, which the history holds longest, or one drawn at random; its samples must
    // not be in another one.
    const uint32_t batches = static_cast<uint32_t>(log.size()) / m_plan->batch;
    const uint32_t batch = random.GetValue(0, 1) < 0.5 ? 0 : random.GetInteger(0, batches - 1);
    const auto begin = log.begin() + batch * m_plan->batch;
    const SampleIndices own(begin, begin + m_plan->batch);
    const bool alone = std::all_of(own.begin(), own.end(), [&](uint32_t sample) {
        return std::count(log.begin(), log.end(), sample) ==
               std::count(own.begin(), own.end(), sample);
    });
    return alone ? own : SampleIndices();
}

AuditedRule
PeerAudit::MakeTwin(LearnerId id, Ptr<Task> task, const Told& told, double shift) const
{
    const Learner& learner = m_learners[id];
    AuditedRule twin = MakeAuditedRule(m_parts, *m_plan);
    for (size_t k = 0; k < twin.noise.size(); ++k)
    {
        std::vector<RecordedNoise::Target> targets;
        const auto& records = learner.inner.noise[k]->GetRecords();
        for (size_t r = 0; r < records.size(); ++r)
        {
            targets.push_back({records[r], told[k][r], shift});
        }
        twin.noise[k]->Absorb(std::move(targets));
    }
    LearnerContext context = learner.application->GetContext();
    context.task = task;
    context.stream = m_data->MakeStream(id);
    twin.rule->AssignStreams(LEARNER_STREAM + STREAMS * id);
    twin.rule->Setup(context);
    return twin;
}

PeerAudit::Told
PeerAudit::FindTold(LearnerId id) const
{
    Told told;
    const std::vector<ModelChannel> channels{ModelChannel::STATE, ModelChannel::TRACKER};
    for (size_t k = 0; k < m_learners[id].inner.noise.size(); ++k)
    {
        told.emplace_back();
        for (const NoiseRecord& record : m_learners[id].inner.noise[k]->GetRecords())
        {
            told[k].push_back(
                m_learners[id].wire->GetContents().count({record.round, channels[k]}) > 0);
        }
    }
    return told;
}

bool
PeerAudit::LeavesTheSame(LearnerId id, const Told& told) const
{
    const Learner& learner = m_learners[id];
    const WireReplay wire([this, id](MessageExchange& e) { ConfigureExchange(e, id); },
                          m_plan->dimension,
                          learner.wire->GetIds());
    const AuditedRule twin = MakeTwin(id, m_data->GetTask(), told, 3.7);
    const WireContents contents = wire.Run(learner.recorder->GetCalls(), *twin.rule);
    return contents == learner.wire->GetContents();
}

PeerAudit::Told
PeerAudit::FindLeaked(LearnerId id, const Told& told) const
{
    Told leaked = told;
    for (auto& records : leaked)
    {
        std::fill(records.begin(), records.end(), false);
    }
    if (LeavesTheSame(id, told))
    {
        return leaked;
    }
    Told all = told;
    for (auto& records : all)
    {
        std::fill(records.begin(), records.end(), true);
    }
    if (!LeavesTheSame(id, all))
    {
        throw std::logic_error("PeerAudit: the same calls do not lead to the same messages");
    }
    for (size_t k = 0; k < told.size(); ++k)
    {
        for (size_t r = 0; r < told[k].size(); ++r)
        {
            if (!told[k][r])
            {
                Told others = all;
                others[k][r] = false;
                leaked[k][r] = !LeavesTheSame(id, others);
            }
        }
    }
    return leaked;
}

double
PeerAudit::Compare(LearnerId id, UniformRandomVariable& random)
{
    const Learner& learner = m_learners[id];
    for (const auto& noise : learner.inner.noise)
    {
        for (const NoiseRecord& record : noise->GetRecords())
        {
            m_fit.Add(noise->GetLaw(), noise->GetScale(record.round), record.before, record.after);
        }
    }
    const Told left = FindTold(id);
    const Told leaked = FindLeaked(id, left);
    Told told = left;
    for (size_t k = 0; k < told.size(); ++k)
    {
        for (size_t r = 0; r < told[k].size(); ++r)
        {
            told[k][r] = left[k][r] || leaked[k][r];
            const uint32_t round = learner.inner.noise[k]->GetRecords()[r].round;
            m_leaked += leaked[k][r] && !learner.wire->HasLeft(round) ? 1 : 0;
        }
    }
    const AuditedRule twin =
        MakeTwin(id, m_data->MakeNeighbour(ChooseSamples(id, random)), told, 0);
    Replay(learner.recorder->GetCalls(), *twin.rule);
    return CompareWith(id, twin, left, leaked);
}

double
PeerAudit::CompareWith(LearnerId id, const AuditedRule& twin, const Told& left, const Told& leaked)
{
    const Learner& learner = m_learners[id];
    const auto account = learner.inner.base->GetLedger();
    AuditedLoss loss;
    const auto add = [&](const Told& which, uint64_t from, uint64_t to) {
        for (size_t k = 0; k < which.size(); ++k)
        {
            const RecordedNoise& noise = *learner.inner.noise[k];
            for (size_t r = 0; r < which[k].size(); ++r)
            {
                const NoiseRecord& record = noise.GetRecords()[r];
                if (which[k][r] && record.round >= from && record.round < to)
                {
                    loss.Add(noise.GetLaw(),
                             noise.GetScale(record.round),
                             record.before,
                             twin.noise[k]->GetRecords()[r].before);
                }
            }
        }
    };
    const auto compare = [&](const Spent& spent) {
        return GetAccountRatio(spent, loss.GetTruth(account->GetDelta()));
    };
    double worst = 1; // on the way counts only what is wrong
    uint64_t next = 0;
    for (const RuleCall& call : learner.recorder->GetCalls())
    {
        if (call.kind == RuleCall::Kind::END || call.kind == RuleCall::Kind::ABANDON)
        {
            add(left, next, uint64_t{call.round} + 1);
            next = std::max(next, uint64_t{call.round} + 1);
            worst = Least(worst, compare(call.spent));
        }
    }
    add(left, next, std::numeric_limits<uint64_t>::max());
    add(leaked, 0, std::numeric_limits<uint64_t>::max());
    const double final = compare(GetSpent(*account));
    return worst < 1 || std::isnan(worst) ? Least(worst, final) : final;
}

} // namespace ns3::dlearn
