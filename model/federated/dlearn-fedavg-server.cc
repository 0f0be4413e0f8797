/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fedavg-server.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace ns3::dlearn
{

void
EntryTotals::Add(double weight, const std::vector<bool>& present)
{
    if (m_arrived.size() == 0 && !present.empty())
    {
        m_arrived = ModelVector::Constant(present.size(), m_all);
    }
    m_all += weight;
    for (Eigen::Index k = 0; k < m_arrived.size(); ++k)
    {
        m_arrived[k] += present.empty() || present[k] ? weight : 0;
    }
}

double
EntryTotals::GetLeast(const std::vector<bool>& present) const
{
    if (m_arrived.size() == 0)
    {
        return m_all;
    }
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < m_arrived.size(); ++k)
    {
        if (present.empty() || present[k])
        {
            least = std::min(least, m_arrived[k]);
        }
    }
    return least;
}

void
EntryTotals::Renormalise(VectorRef mean) const
{
    for (Eigen::Index k = 0; k < m_arrived.size(); ++k)
    {
        mean[k] = m_arrived[k] > 0 ? mean[k] * (m_all / m_arrived[k]) : 0;
    }
}

NS_LOG_COMPONENT_DEFINE("DlearnFedAvgServer");
NS_OBJECT_ENSURE_REGISTERED(FedAvgServer);

TypeId
FedAvgServer::GetTypeId()
{
    static TypeId tid =
        AddAttributes(MakeTypeId<FedAvgServer, ServerRule>("ns3::dlearn::FedAvgServer"),
                      "averaged update",
                      1)
            .AddAttribute("ReportedSamples",
                          "Whether an update weighs as many samples as the figure samples that "
                          "rides with it says, if any, but at least 1; else those known before the "
                          "run.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FedAvgServer::m_reported),
                          MakeBooleanChecker())
            .AddAttribute("Divisor",
                          "Number by which the sum of the updates, weighted with their samples, is "
                          "divided; 0: by the sum of these samples.",
                          DoubleValue(0),
                          MakeFixedAccessor(MakeDoubleAccessor(&FedAvgServer::m_divisor),
                                            &FedAvgServer::IsSetUp),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
FedAvgServer::CheckAttributes() const
{
    RequireDifferences();
    SteppingServer::CheckAttributes();
}

void
FedAvgServer::CheckPartialUpdates() const
{
    // With momentum a share of the last mean is subtracted from that in this one. The largest
    // shares do not bound the difference, as each entry may have another share.
    Require(!m_noise || m_noise->GetMomentum() == 0,
            "FedAvgServer: with UsePartial of the server, Momentum of its Noise must be 0, got {}",
            m_noise ? m_noise->GetMomentum() : 0);
    Require(m_divisor == 0,
            "FedAvgServer: with UsePartial of the server, Divisor must be 0, got {}",
            m_divisor);
    const auto dimension = static_cast<uint32_t>(m_model.size());
    Require(GetFormat(ModelChannel::UPDATE).length == dimension,
            "FedAvgServer: with UsePartial of the server, an update must be as long as the model, "
            "{}, got {}",
            dimension,
            GetFormat(ModelChannel::UPDATE).length);
}

double
FedAvgServer::GetSamples(const ClientUpdate& update) const
{
    const bool free = m_reported && m_divisor == 0;
    return free || !update.members.empty() ? CountSamples(update)
                                           : m_context.samples.at(update.client);
}

bool
FedAvgServer::AddNoise(const std::vector<ClientUpdate>& updates,
                       const EntryTotals& totals,
                       double total,
                       ModelVector& mean) const
{
    if (!m_noise)
    {
        return true;
    }
    ReleasedMessages messages;
    for (const ClientUpdate& update : updates)
    {
        const double samples = GetSamples(update);
        const double growth = totals.GetAll() / totals.GetLeast(update.present);
        messages.insert({update.client, {update.round, samples * update.weight * growth}});
    }
    return m_noise->Release(std::move(messages), total, mean);
}

ModelVector
FedAvgServer::Move(const std::vector<ClientUpdate>& updates)
{
    EntryTotals totals;
    for (const ClientUpdate& update : updates)
    {
        totals.Add(GetSamples(update), update.present);
    }
    const double total = m_divisor > 0 ? m_divisor : totals.GetAll();
    ModelVector mean = ModelVector::Zero(m_model.size());
    for (const ClientUpdate& update : updates)
    {
        mean += GetSamples(update) / total * update.weight * update.values.head(mean.size());
    }
    totals.Renormalise(mean);
    NS_LOG_FUNCTION(this << updates.size() << total);
    if (!AddNoise(updates, totals, total, mean))
    {
        ++m_withheld;
        return m_model;
    }
    return Step(mean, 1);
}

NS_OBJECT_ENSURE_REGISTERED(FedAsyncServer);

TypeId
FedAsyncServer::GetTypeId()
{
    static TypeId tid = MakeTypeId<FedAsyncServer, ServerRule>("ns3::dlearn::FedAsyncServer")
                            .AddAttribute("Mixing",
                                          "Share a of a fresh client's model in the next model, "
                                          "greater than 0, at most 1.",
                                          DoubleValue(0.6),
                                          MakeDoubleAccessor(&FedAsyncServer::m_mixing),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
FedAsyncServer::CheckAttributes() const
{
    RequireDifferences();
    Require(m_mixing > 0 && m_mixing <= 1,
            "FedAsyncServer: Mixing must be in (0, 1], got {}",
            m_mixing);
}

ModelVector
FedAsyncServer::Move(const std::vector<ClientUpdate>& updates)
{
    ModelVector model = m_model;
    for (const ClientUpdate& update : updates)
    {
        Require(update.base != nullptr, "FedAsyncServer: an update needs the model it began with");
        const double share = m_mixing * update.weight;
        model = (1 - share) * model + share * (*update.base + update.values.head(model.size()));
    }
    return model;
}

} // namespace ns3::dlearn
