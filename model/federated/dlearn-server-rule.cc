/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnServerRule");
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ServerRule, LearnerRule);

void
ServerRule::Setup(const ServerContext& context)
{
    NS_LOG_FUNCTION(this << context.id << context.samples.size());
    const std::string name = GetInstanceTypeId().GetName();
    Require(!context.samples.empty(), name, ": a server needs clients, got none");
    Require(context.initialModel.allFinite(), name, ": the initial model must be finite");
    m_context = context; // which rules check their attributes against
    CheckAttributes();
    m_model = context.initialModel;
}

void
ServerRule::CheckPartialUpdates() const
{
    Require(false,
            GetInstanceTypeId().GetName(),
            ": the rule needs whole updates, so that UsePartial of the server must be false, got "
            "true");
}

void
ServerRule::Aggregate(const std::vector<ClientUpdate>& updates)
{
    NS_LOG_FUNCTION(this << updates.size());
    if (updates.empty())
    {
        NS_LOG_INFO("server " << m_context.id << " keeps its model: there are no updates");
        return;
    }
    ModelVector model = Move(updates);
    const std::string name = GetInstanceTypeId().GetName();
    RequireSize(name, "the model that the rule makes", model.size(), m_model.size());
    Require(model.allFinite(),
            name,
            ": the model that the rule makes must be finite; it is not, of ",
            updates.size(),
            " updates that are");
    m_model = std::move(model);
    NS_LOG_INFO("server " << m_context.id << " has made a model of " << updates.size()
                          << " updates, of norm " << m_model.norm());
}

void
ServerRule::RequireDifferences() const
{
    Require(m_context.updates != UpdateKind::GRADIENT,
            GetInstanceTypeId().GetName(),
            ": clients must return differences of models, got a rule that returns gradients");
}

std::optional<ModelVector>
ServerRule::GetRequest(const std::vector<ClientUpdate>& /* updates */) const
{
    return std::nullopt;
}

void
ServerRule::UseAnswers(const std::map<LearnerId, ModelVector>& /* answers */,
                       std::vector<ClientUpdate>& /* updates */) const
{
}

std::function<void()>
ServerRule::RememberLearned()
{
    return [this, model = m_model] { m_model = model; };
}

void
SteppingServer::DoDispose()
{
    m_noise = nullptr;
    ServerRule::DoDispose();
}

void
SteppingServer::CheckAttributes() const
{
    const std::string full = GetInstanceTypeId().GetName();
    const std::string name = full.substr(full.rfind(':') + 1);
    RequirePositive(name, "LearningRate", m_step->GetInitial());
    m_step->Check();
    Require(m_momentum >= 0 && m_momentum < 1,
            name,
            ": Momentum must be in [0, 1), got ",
            m_momentum);
    ClaimPart(m_noise, *this);
}

ModelVector
SteppingServer::Step(const ModelVector& aggregate, double sign)
{
    const bool moving = m_momentum > 0 && m_velocity.size() > 0;
    m_velocity = moving ? ModelVector(m_momentum * m_velocity + aggregate) : aggregate;
    return m_model + sign * m_step->Get(m_moves++) * m_velocity;
}

std::function<void()>
SteppingServer::RememberLearned()
{
    return [this, restore = ServerRule::RememberLearned(), velocity = m_velocity, moves = m_moves] {
        restore();
        m_velocity = velocity;
        m_moves = moves;
    };
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(StalenessPolicy, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(DiscardStale, StalenessPolicy);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ConstantStaleness, StalenessPolicy);
NS_OBJECT_ENSURE_REGISTERED(PolynomialStaleness);
NS_OBJECT_ENSURE_REGISTERED(HingeStaleness);

TypeId
PolynomialStaleness::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<PolynomialStaleness, StalenessPolicy>("ns3::dlearn::PolynomialStaleness")
            .AddAttribute("Exponent",
                          "How fast the weight falls, at least 0.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&PolynomialStaleness::m_exponent),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

double
PolynomialStaleness::GetWeight(uint32_t staleness) const
{
    return std::pow(1.0 + staleness, -m_exponent);
}

TypeId
HingeStaleness::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<HingeStaleness, StalenessPolicy>("ns3::dlearn::HingeStaleness")
            .AddAttribute("Limit",
                          "Staleness up to which an update is worth as much as a fresh one.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&HingeStaleness::m_limit),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Slope",
                          "How fast the weight falls beyond Limit, at least 0.",
                          DoubleValue(10),
                          MakeDoubleAccessor(&HingeStaleness::m_slope),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
UpdateBuffer::Setup(Ptr<const StalenessPolicy> policy, uint32_t limit, bool single)
{
    m_policy = policy;
    m_limit = limit;
    m_single = single;
}

void
UpdateBuffer::Remember(uint32_t version, const ModelVector& model)
{
    m_models[version] = std::make_shared<const ModelVector>(model);
    while (uint64_t{m_models.begin()->first} + m_limit < version)
    {
        m_models.erase(m_models.begin());
    }
}

std::shared_ptr<const ModelVector>
UpdateBuffer::GetNewest() const
{
    Require(!m_models.empty(), "UpdateBuffer: there is no model yet");
    return m_models.rbegin()->second;
}

std::optional<ClientUpdate>
UpdateBuffer::Assess(LearnerId client, uint32_t requestId, uint32_t version, uint32_t next)
{
    ClientUpdate update;
    update.client = client;
    update.round = requestId;
    update.staleness = next - version;
    update.weight = m_policy->GetWeight(update.staleness);
    Require(update.weight >= 0 && update.weight <= 1,
            m_policy->GetInstanceTypeId().GetName(),
            ": the weight of an update must be from 0 to 1, got ",
            update.weight,
            " for staleness ",
            update.staleness);
    const auto base = m_models.find(version);
    if (update.staleness > m_limit || update.weight <= 0 || base == m_models.end() ||
        requestId < m_oldest)
    {
        ++m_counters.discarded;
        return std::nullopt;
    }
    update.base = base->second;
    return update;
}

bool
UpdateBuffer::Keep(ClientUpdate update, bool late)
{
    const auto same = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& other) {
        return m_single && other.update.client == update.client;
    });
    if (same == m_entries.end())
    {
        m_entries.push_back({std::move(update), late});
        return false;
    }
    ++m_counters.superseded; // by the fresher of the two, whichever came first
    Entry other{std::move(update), late};
    if (other.update.round >= same->update.round)
    {
        std::swap(other, *same);
    }
    return !other.late;
}

std::vector<LearnerId>
UpdateBuffer::GetClients() const
{
    std::vector<LearnerId> clients;
    for (const Entry& entry : m_entries)
    {
        clients.push_back(entry.update.client);
    }
    return clients;
}

bool
UpdateBuffer::HoldsNewest(LearnerId client) const
{
    return std::any_of(m_entries.begin(), m_entries.end(), [&](const Entry& entry) {
        return entry.update.client == client && entry.update.base == GetNewest();
    });
}

std::vector<ClientUpdate>
UpdateBuffer::Take()
{
    std::stable_sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) {
        return a.update.client < b.update.client;
    });
    std::vector<ClientUpdate> updates;
    for (Entry& entry : m_entries)
    {
        ClientUpdate kept;
        kept.staleness = entry.update.staleness;
        kept.present = entry.update.present;
        m_taken.push_back({std::move(kept), entry.late});
        updates.push_back(std::move(entry.update));
    }
    m_entries.clear();
    return updates;
}

void
UpdateBuffer::Settle()
{
    for (const Entry& entry : m_taken)
    {
        ++m_counters.staleness[entry.update.staleness];
        m_counters.lateUsed += entry.late ? 1 : 0;
        m_counters.partial += entry.update.IsComplete() ? 0 : 1;
    }
    m_taken.clear();
}

std::pair<uint64_t, uint64_t>
UpdateBuffer::Drop()
{
    const auto count = [](const std::vector<Entry>& entries) -> uint64_t {
        return std::count_if(entries.begin(), entries.end(), [](const Entry& entry) {
            return !entry.late;
        });
    };
    const std::pair dropped(count(m_entries), count(m_taken));
    m_counters.lost += m_entries.size() + m_taken.size();
    m_entries.clear();
    m_taken.clear();
    return dropped;
}

void
UpdateBuffer::Forget(uint32_t requestId)
{
    m_models.clear();
    m_oldest = requestId;
}

void
UpdateBuffer::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["updates_discarded_stale"] += m_counters.discarded;
    if (m_counters.lost > 0)
    {
        totals["updates_lost_in_crash"] += m_counters.lost;
    }
    totals["updates_late_used"] += m_counters.lateUsed;
    totals["updates_superseded"] += m_counters.superseded;
    for (const auto& [staleness, count] : m_counters.staleness)
    {
        totals["staleness_" + std::to_string(staleness)] += count;
    }
}

} // namespace ns3::dlearn
