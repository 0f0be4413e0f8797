/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-server-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnServerRule");
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ServerRule, LearnerRule);

void
ServerRule::Setup(const ServerContext& context)
{
    NS_LOG_FUNCTION(this << context.id << context.samples.size());
    const std::string name = GetInstanceTypeId().GetName();
    Require(m_model.size() == 0, name, ": Setup() must be called once");
    Require(!context.samples.empty(), name, ": a server needs clients, got none");
    Require(context.initialModel.size() > 0, name, ": the initial model must not be empty");
    Require(context.initialModel.allFinite(), name, ": the initial model must be finite");
    for (const auto& [client, samples] : context.samples)
    {
        Require(client != context.id, name, ": server ", client, " must not be its own client");
        Require(samples >= 1, name, ": client ", client, " must have at least 1 sample, got 0");
    }
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
    for (const ClientUpdate& update : updates)
    {
        Require(m_context.samples.count(update.client) > 0,
                "ServerRule: learner ",
                update.client,
                " is no client");
        RequireSize("ServerRule", "update", update.values.size(), m_model.size());
        if (!update.IsComplete())
        {
            CheckPartialUpdates();
            RequireSize("ServerRule", "marks of entries", update.present.size(), m_model.size());
        }
    }
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

const ModelVector&
ServerRule::GetModel() const
{
    return m_model;
}

uint64_t
ServerRule::GetWork() const
{
    return 0;
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

} // namespace ns3::dlearn
