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
#include <cmath>
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
                          "rides with it says, if any; else those known before the run.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FedAvgServer::m_reported),
                          MakeBooleanChecker())
            .AddAttribute("Divisor",
                          "Number by which the sum of the updates, weighted with their samples, is "
                          "divided; 0: by the sum of these samples.",
                          DoubleValue(0),
                          MakeFixedAccessor(MakeDoubleAccessor(&FedAvgServer::m_divisor),
                                            &FedAvgServer::IsSetUp),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute(
                "ClipQuantile",
                "Share of the updates that the clip leaves as they are: it adapts to this "
                "quantile of their norms; 0: clients have a fixed clip.",
                DoubleValue(0),
                MakeFixedAccessor(MakeDoubleAccessor(&FedAvgServer::m_quantile),
                                  &FedAvgServer::IsSetUp),
                MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("ClipNorm",
                          "The clip of the first updates with ClipQuantile, greater than 0.",
                          DoubleValue(1),
                          MakeFixedAccessor(MakeDoubleAccessor(&FedAvgServer::m_clipNorm),
                                            &FedAvgServer::IsSetUp),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute("ClipRate",
                          "How fast the clip adapts: eta_C.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&FedAvgServer::m_clipRate),
                          MakeDoubleChecker<double>(0.0))
            .AddAttribute(
                "ClipNoise",
                "Standard deviation of a trusted server's noise on the share of updates "
                "within the clip: sigma_b over the clients of a round. The smaller it is, "
                "the more noise the updates have.",
                DoubleValue(0.05),
                MakeFixedAccessor(MakeDoubleAccessor(&FedAvgServer::m_clipNoise),
                                  &FedAvgServer::IsSetUp),
                MakeDoubleChecker<double>(0.0));
    return tid;
}

void
FedAvgServer::CheckAttributes() const
{
    RequireDifferences();
    SteppingServer::CheckAttributes();
    if (m_quantile == 0)
    {
        return;
    }
    RequirePositive("FedAvgServer", "ClipNorm", m_clipNorm);
    const auto& figures = m_context.figures;
    Require(std::find(figures.begin(), figures.end(), "within") != figures.end(),
            "FedAvgServer: ClipQuantile needs clients with AdaptiveClip of "
            "ns3::dlearn::LocalTraining, which threat model ns3::dlearn::CentralDp sets");
    Require(!m_noise || m_noise->GetMomentum() == 0,
            "FedAvgServer: with ClipQuantile, Momentum of its Noise must be 0, got {}",
            m_noise ? m_noise->GetMomentum() : 0);
    Require(GetClipShare() < 1,
            "FedAvgServer: ClipNoise must be greater than {}, half of the noise on the mean over "
            "ClipNorm, or no noise is enough for the updates; got {}",
            m_noise ? m_noise->GetScale() / (2 * m_clipNorm) : 0,
            m_clipNoise);
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
    Require(m_quantile == 0,
            "FedAvgServer: with UsePartial of the server, ClipQuantile must be 0, got {}",
            m_quantile);
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

MessageFormat
FedAvgServer::GetFormat(ModelChannel channel) const
{
    MessageFormat format = SteppingServer::GetFormat(channel);
    if (channel == ModelChannel::MODEL && m_quantile > 0)
    {
        format.figures.emplace_back("clip");
    }
    return format;
}

Outbox
FedAvgServer::GetModels(const std::vector<LearnerId>& clients) const
{
    Outbox models = SteppingServer::GetModels(clients);
    if (m_quantile > 0)
    {
        models.front().figures.push_back(GetClip());
    }
    return models;
}

std::function<void()>
FedAvgServer::RememberLearned()
{
    return [this, restore = SteppingServer::RememberLearned(), growth = m_growth] {
        restore();
        m_growth = growth;
    };
}

double
FedAvgServer::GetClipShare() const
{
    const double scale = m_noise && m_quantile > 0 ? m_noise->GetScale() : 0;
    return scale == 0 ? 0 : scale / (2 * m_clipNorm * m_clipNoise);
}

bool
FedAvgServer::AddNoise(const std::vector<ClientUpdate>& updates,
                       const EntryTotals& totals,
                       double total,
                       ModelVector& mean,
                       double& within) const
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
    const double share = GetClipShare();
    if (share == 0)
    {
        return m_noise->Release(std::move(messages), total, mean);
    }
    const double ofMean = std::sqrt(1 - share * share) / m_growth;
    const double ofWithin = 2 * share * m_clipNorm;
    ModelVector both(mean.size() + 1);
    both << ofMean * mean, ofWithin * within;
    const bool released = m_noise->Release(std::move(messages), total, both);
    mean = both.head(mean.size()) / ofMean;
    within = both[mean.size()] / ofWithin;
    return released;
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
    if (total == 0)
    {
        return m_model;
    }
    ModelVector mean = ModelVector::Zero(m_model.size());
    double within = 0; // mean of b_i
    for (const ClientUpdate& update : updates)
    {
        const double share = GetSamples(update) / total * update.weight;
        const auto values = update.values.head(mean.size());
        const double length = m_quantile > 0 ? values.norm() : 0;
        mean += (length > GetClip() ? GetClip() / length : 1) * share * values;
        within += share * std::clamp(FindFigure(update, "within").value_or(0), -0.5, 0.5);
    }
    totals.Renormalise(mean);
    NS_LOG_FUNCTION(this << updates.size() << total);
    if (!AddNoise(updates, totals, total, mean, within))
    {
        ++m_withheld;
        return m_model;
    }
    m_growth *= m_quantile > 0 ? std::exp(-m_clipRate * (within + 0.5 - m_quantile)) : 1;
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
