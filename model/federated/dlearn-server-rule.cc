/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnServerRule");
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ServerRule, LearnerRule);

void
ServerRule::Setup(const ServerContext& context)
{
    NS_LOG_FUNCTION(this << context.id << context.samples.size());
    const std::string name = GetInstanceTypeId().GetName();
    Require(!context.samples.empty(), "{}: a server needs clients, got none", name);
    Require(context.initialModel.allFinite(), "{}: the initial model must be finite", name);
    m_context = context; // for CheckAttributes()
    CheckAttributes();
    m_model = context.initialModel;
}

void
ServerRule::CheckPartialUpdates() const
{
    Require(false,
            "{}: the rule needs whole updates, so that UsePartial of the server must be false, got "
            "true",
            GetInstanceTypeId().GetName());
}

void
ServerRule::Aggregate(const std::vector<ClientUpdate>& updates)
{
    NS_LOG_FUNCTION(this << updates.size());
    if (updates.empty() && !MovesWithoutUpdates())
    {
        NS_LOG_INFO("server " << m_context.id << " keeps its model: there are no updates");
        return;
    }
    std::vector<ClientUpdate> padded;
    if (CountShared() < m_model.size())
    {
        padded = updates;
        for (ClientUpdate& update : padded)
        {
            update.values.conservativeResizeLike(ModelVector::Zero(m_model.size()));
        }
    }
    ModelVector model = Move(padded.empty() ? updates : padded);
    const std::string name = GetInstanceTypeId().GetName();
    RequireSize(name, "the model that the rule makes", model.size(), m_model.size());
    Require(model.allFinite(),
            "{}: the model that the rule makes must be finite; it is not, of {} updates that are",
            name,
            updates.size());
    m_model = std::move(model);
    NS_LOG_INFO("server " << m_context.id << " has made a model of " << updates.size()
                          << " updates, of norm " << m_model.norm());
}

MessageFormat
ServerRule::GetFormat(ModelChannel channel) const
{
    const bool shared = channel == ModelChannel::MODEL || channel == ModelChannel::UPDATE;
    const size_t length = channel == ModelChannel::REQUEST ? m_context.samples.size()
                          : shared                         ? CountShared()
                                                           : m_model.size();
    return {static_cast<uint32_t>(length), {}};
}

void
ServerRule::RequireFigure(const std::string& name) const
{
    const auto& names = m_context.figures;
    Require(std::find(names.begin(), names.end(), name) != names.end(),
            "{}: clients must report the figure {}: Reports of ns3::dlearn::FederatedClient",
            GetInstanceTypeId().GetName(),
            name);
}

void
ServerRule::RequireDifferences() const
{
    Require(m_context.updates != UpdateKind::GRADIENT,
            "{}: clients must return differences of models, got a rule that returns gradients",
            GetInstanceTypeId().GetName());
}

std::optional<double>
ServerRule::FindFigure(const ClientUpdate& update, const std::string& name) const
{
    const auto& names = m_context.figures;
    const size_t place = std::find(names.begin(), names.end(), name) - names.begin();
    return place < update.figures.size() ? std::make_optional(update.figures[place]) : std::nullopt;
}

double
ServerRule::CountSamples(const ClientUpdate& update) const
{
    constexpr double MOST = std::numeric_limits<uint32_t>::max(); // as of ServerContext
    if (!update.members.empty())
    {
        return std::accumulate(
            update.members.begin(),
            update.members.end(),
            0.0,
            [this](double sum, LearnerId client) { return sum + m_context.samples.at(client); });
    }
    const auto reported = FindFigure(update, "samples");
    return reported ? std::clamp(*reported, 0.0, MOST) : m_context.samples.at(update.client);
}

std::function<void()>
ServerRule::RememberLearned()
{
    return [this, model = m_model] { m_model = model; };
}

TypeId
SteppingServer::AddAttributes(TypeId tid, const std::string& aggregate, double rate)
{
    return AddOptimizer<SteppingServer>(tid,
                                        &SteppingServer::m_optimizer,
                                        &SteppingServer::IsSetUp,
                                        "the server along the " + aggregate,
                                        "LearningRate",
                                        rate)
        .AddAttribute("Momentum",
                      "Share of the last step in the next one: Momentum of the Optimizer.",
                      AliasDefault(0),
                      MakePartAliasAccessor(&SteppingServer::m_optimizer, "Momentum"),
                      MakeDoubleChecker<double>(0.0, 1.0))
        .AddAttribute("Noise",
                      "The noise of a trusted server on the " + aggregate +
                          ", a ns3::dlearn::ServerNoise; none by default.",
                      PointerValue(),
                      MakeGivenPartAccessor(&SteppingServer::m_noise, &SteppingServer::IsSetUp),
                      MakePartChecker<ServerNoise>());
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
    m_optimizer->Check(full.substr(full.rfind(':') + 1), "LearningRate");
    ClaimPart(m_noise, *this);
}

ModelVector
SteppingServer::Step(const ModelVector& aggregate, double sign)
{
    ModelVector model = m_model;
    m_optimizer->MakeStep(m_state.steps)(-sign * aggregate, m_state, model);
    return model;
}

std::function<void()>
SteppingServer::RememberLearned()
{
    return [this, restore = ServerRule::RememberLearned(), state = m_state] {
        restore();
        m_state = state;
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

TypeId
HingeStaleness::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<HingeStaleness, StalenessPolicy>("ns3::dlearn::HingeStaleness")
            .AddAttribute("Limit",
                          "Staleness up to which an update has the weight of a fresh one.",
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

} // namespace ns3::dlearn
