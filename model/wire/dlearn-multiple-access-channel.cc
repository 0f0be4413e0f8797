/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-multiple-access-channel.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnMultipleAccessChannel");
NS_OBJECT_ENSURE_REGISTERED(MultipleAccessChannel);
NS_OBJECT_ENSURE_REGISTERED(ChannelInversion);
NS_OBJECT_ENSURE_REGISTERED(FullPower);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(PowerControl, Object);

namespace
{

constexpr double BOLTZMANN = 1.380649e-23; //!< J/K
constexpr double TEMPERATURE = 290;        //!< K, for which noise figures are defined

double
FromDecibels(double decibels)
{
    return std::pow(10, decibels / 10);
}

} // namespace

TypeId
ChannelInversion::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ChannelInversion, PowerControl>("ns3::dlearn::ChannelInversion")
            .AddAttribute("Truncation",
                          "Gain over the mean one below which a client keeps silent, greater than "
                          "0. Without fading 1 is best.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&ChannelInversion::m_truncation),
                          MakeDoubleChecker<double>(1e-6, 10));
    return tid;
}

double
ChannelInversion::GetPower(const Link& link, double fading) const
{
    const double amplitude = GetAmplitude(link);
    return fading < m_truncation ? 0 : amplitude * amplitude / (link.path * fading);
}

double
ChannelInversion::GetAmplitude(const Link& link) const
{
    return std::sqrt(link.limit * m_truncation * link.weakest);
}

TypeId
FullPower::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<FullPower, PowerControl>("ns3::dlearn::FullPower")
            .AddAttribute("MeanGain",
                          "Mean amplitude of the fading, of mean power 1: sqrt(pi) / 2 for "
                          "Rayleigh fading, the default; 1 without fading.",
                          DoubleValue(std::sqrt(M_PI) / 2),
                          MakeDoubleAccessor(&FullPower::m_meanGain),
                          MakeDoubleChecker<double>(1e-3, 1));
    return tid;
}

double
FullPower::GetAmplitude(const Link& link) const
{
    return std::sqrt(link.limit * link.path) * m_meanGain;
}

TypeId
MultipleAccessChannel::GetTypeId()
{
    using C = MultipleAccessChannel;
    static TypeId tid =
        MakeTypeId<C, Object>("ns3::dlearn::MultipleAccessChannel")
            .AddAttribute("Bandwidth",
                          "Bandwidth in Hz: so many entries of a vector are sent in a second.",
                          DoubleValue(1e6),
                          MakeFixedAccessor(MakeDoubleAccessor(&C::m_bandwidth), &C::IsSetUp),
                          MakeDoubleChecker<double>(1, 1e12))
            .AddAttribute("NoiseFigure",
                          "Noise figure of the receiver, in dB.",
                          DoubleValue(7),
                          MakeFixedAccessor(MakeDoubleAccessor(&C::m_noiseFigure), &C::IsSetUp),
                          MakeDoubleChecker<double>(-300, 300))
            .AddAttribute("Power",
                          "Largest power of a client, in dBm.",
                          DoubleValue(20),
                          MakeFixedAccessor(MakeDoubleAccessor(&C::m_power), &C::IsSetUp),
                          MakeDoubleChecker<double>(-300, 300))
            .AddAttribute("Clip",
                          "Norm of a weighted update, which all clients know, at which it has a "
                          "mean square of 1 on the air; longer ones are shortened to it.",
                          DoubleValue(1),
                          MakeFixedAccessor(MakeDoubleAccessor(&C::m_clip), &C::IsSetUp),
                          MakeDoubleChecker<double>(1e-12, 1e12))
            .AddAttribute("PhaseError",
                          "Standard deviation of the phase at which a client arrives, for lack of "
                          "synchronisation, in radians.",
                          DoubleValue(0),
                          MakeFixedAccessor(MakeDoubleAccessor(&C::m_phaseError), &C::IsSetUp),
                          MakeDoubleChecker<double>(0, 100))
            .AddAttribute(
                "EstimateVariance",
                "Variance of a client's complex estimate of its channel, over the mean "
                "power of the channel.",
                DoubleValue(0),
                MakeFixedAccessor(MakeDoubleAccessor(&C::m_estimateVariance), &C::IsSetUp),
                MakeDoubleChecker<double>(0, 100))
            .AddAttribute("Loss",
                          "Path loss, a ns3::PropagationLossModel: the mean gain.",
                          StringValue("ns3::LogDistancePropagationLossModel"),
                          MakePartAccessor(&C::m_loss, &C::IsSetUp),
                          MakePartChecker<PropagationLossModel>())
            .AddAttribute("Fading",
                          "Fading of mean power 1, a ns3::PropagationLossModel of which only the "
                          "gain is used; Rayleigh fading by default, empty for none.",
                          StringValue("ns3::NakagamiPropagationLossModel[m0=1|m1=1|m2=1]"),
                          MakeOptionalPartAccessor(&C::m_fading, &C::IsSetUp),
                          MakePartChecker<PropagationLossModel>())
            .AddAttribute("PowerControl",
                          "How strongly clients send, a ns3::dlearn::PowerControl.",
                          TypeIdValue(ChannelInversion::GetTypeId()),
                          MakePartAccessor(&C::m_powerControl, &C::IsSetUp),
                          MakePartChecker<PowerControl>());
    return tid;
}

void
MultipleAccessChannel::DoDispose()
{
    m_learners.clear();
    m_slots.clear();
    m_received = nullptr;
    Object::DoDispose();
}

void
MultipleAccessChannel::Attach(LearnerId learner, Ptr<Node> node, SentCallback sent)
{
    const auto place = node->GetObject<MobilityModel>();
    Require(place != nullptr,
            "MultipleAccessChannel: learner {} needs a position; its node {} has no MobilityModel",
            learner,
            node->GetId());
    m_learners[learner] = {place, std::move(sent)};
}

void
MultipleAccessChannel::SetReceiver(LearnerId receiver,
                                   const std::map<LearnerId, double>& weights,
                                   SumCallback received)
{
    Require(!m_receiver || m_receiver == receiver,
            "MultipleAccessChannel: learner {} receives already, {} needs a channel, too",
            m_receiver.value_or(0),
            receiver);
    m_receiver = receiver;
    m_weights = weights;
    m_received = std::move(received);
}

Time
MultipleAccessChannel::GetSlot(uint32_t entries) const
{
    return Seconds(entries / m_bandwidth);
}

int64_t
MultipleAccessChannel::AssignStreams(int64_t stream)
{
    m_noise->SetStream(stream);
    m_errors->SetStream(stream + 1);
    int64_t used = 2 + m_loss->AssignStreams(stream + 2);
    used += m_fading ? m_fading->AssignStreams(stream + used) : 0;
    return used;
}

void
MultipleAccessChannel::Await(uint32_t round,
                             const std::vector<LearnerId>& asked,
                             const std::vector<LearnerId>& awaited)
{
    Slot& slot = m_slots[round];
    slot.asked = {asked.begin(), asked.end()};
    slot.awaited = {awaited.begin(), awaited.end()};
}

void
MultipleAccessChannel::Send(LearnerId client, const Message& message)
{
    NS_LOG_FUNCTION(this << client << message->GetRound());
    const auto found = m_slots.find(message->GetRound());
    if (found == m_slots.end() || found->second.begun || found->second.asked.count(client) == 0)
    {
        return; // too late
    }
    Slot& slot = found->second;
    slot.waiting[client] = {message, Simulator::Now()};
    slot.awaited.erase(client);
    if (slot.awaited.empty() && slot.event.IsExpired())
    {
        slot.event = Simulator::ScheduleNow(&MultipleAccessChannel::Begin, this, found->first);
    }
}

void
MultipleAccessChannel::Begin(uint32_t round)
{
    Slot& slot = m_slots.at(round);
    if (slot.waiting.empty())
    {
        return; // the last client left in this instant
    }
    slot.begun = true;
    const uint32_t entries = slot.waiting.begin()->second.first->GetVectorLength();
    const Transmission transmission = Transmit(slot);
    slot.event = Simulator::Schedule(GetSlot(entries),
                                     &MultipleAccessChannel::End,
                                     this,
                                     round,
                                     transmission.sum);
    Tell(transmission);
}

void
MultipleAccessChannel::End(uint32_t round, const Sum& sum)
{
    m_slots.erase(round);
    m_received(round, sum);
}

std::optional<MultipleAccessChannel::Sum>
MultipleAccessChannel::Close(uint32_t round)
{
    NS_LOG_FUNCTION(this << round);
    const auto found = m_slots.find(round);
    if (found == m_slots.end())
    {
        return std::nullopt;
    }
    Slot slot = std::move(found->second);
    slot.event.Cancel();
    m_slots.erase(found);
    for (auto one = slot.waiting.begin(); one != slot.waiting.end();)
    {
        const auto& [message, since] = one->second;
        const bool ready = since + GetSlot(message->GetVectorLength()) <= Simulator::Now();
        one = ready ? std::next(one) : slot.waiting.erase(one);
    }
    if (slot.begun || slot.waiting.empty())
    {
        return std::nullopt;
    }
    const Transmission transmission = Transmit(slot);
    Tell(transmission);
    return transmission.sum;
}

void
MultipleAccessChannel::Settle(LearnerId learner, uint32_t round)
{
    const auto found = m_slots.find(round);
    if (found == m_slots.end())
    {
        return;
    }
    if (IsReceiver(learner))
    {
        found->second.event.Cancel();
        m_slots.erase(found);
    }
    else
    {
        found->second.waiting.erase(learner);
    }
}

void
MultipleAccessChannel::Leave(LearnerId learner)
{
    std::vector<uint32_t> rounds;
    for (const auto& [round, slot] : m_slots)
    {
        rounds.push_back(round);
    }
    for (const uint32_t round : rounds)
    {
        Settle(learner, round);
    }
}

double
MultipleAccessChannel::GetGain(Ptr<PropagationLossModel> model, LearnerId learner) const
{
    return FromDecibels(
        model->CalcRxPower(0, m_learners.at(learner).place, m_learners.at(*m_receiver).place));
}

MultipleAccessChannel::Transmission
MultipleAccessChannel::Transmit(Slot& slot)
{
    std::map<LearnerId, double> paths;
    PowerControl::Link link;
    link.limit = 1e-3 * FromDecibels(m_power);
    link.weakest = std::numeric_limits<double>::infinity();
    for (const auto& [client, waiting] : slot.waiting)
    {
        const double path = GetGain(m_loss, client);
        paths[client] = path;
        link.weakest = std::min(link.weakest, path);
    }
    Transmission result;
    double expected = 0;
    const auto draw = [this](double std) { return std > 0 ? std * m_errors->GetValue() : 0; };
    for (const auto& [client, waiting] : slot.waiting)
    {
        link.path = paths.at(client);
        // A model of fading gives power at the place, of which the mean is 1 here.
        const double gain = m_fading ? GetGain(m_fading, client) : 1;
        const double error = std::sqrt(m_estimateVariance / 2);
        const double real = std::sqrt(gain) + draw(error);
        const double imaginary = draw(error);
        const double phase = draw(m_phaseError) - std::atan2(imaginary, real);
        const double power = m_powerControl->GetPower(link, real * real + imaginary * imaginary);
        const Message& message = waiting.first;
        const double weight = m_weights.at(client);
        ModelVector update = weight * message->Decode();
        if (power <= 0 || !update.allFinite()) // no signal is infinite
        {
            result.sum.truncated.push_back(client);
            continue;
        }
        const double norm = update.norm();
        const double length = std::min(norm, m_clip);
        m_clipped += norm > m_clip ? 1 : 0;
        const double scale = norm > m_clip ? m_clip / norm : 1;
        ModelVector& sum = result.sum.mean;
        if (sum.size() == 0)
        {
            sum = ModelVector::Zero(update.size());
        }
        sum += std::sqrt(power * link.path * gain) * std::cos(phase) * scale * update;
        expected += weight * m_powerControl->GetAmplitude(link);
        result.sum.members.push_back(client);
        result.sent.emplace_back(message,
                                 power * length * length / (m_clip * m_clip) *
                                     GetSlot(update.size()).GetSeconds());
    }
    ++m_sums;
    m_truncated += result.sum.truncated.size();
    const double half =
        BOLTZMANN * TEMPERATURE * m_bandwidth * FromDecibels(m_noiseFigure) / 2; // of the noise
    for (double& entry : result.sum.mean)
    {
        entry += m_clip * std::sqrt(half / result.sum.mean.size()) * m_noise->GetValue();
        entry /= expected;
    }
    slot.waiting.clear();
    return result;
}

void
MultipleAccessChannel::Tell(const Transmission& transmission) const
{
    for (size_t k = 0; k < transmission.sent.size(); ++k)
    {
        const auto& [message, joules] = transmission.sent[k];
        m_learners.at(transmission.sum.members[k]).sent(*message, joules);
    }
}

void
MultipleAccessChannel::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["air_slots"] += m_sums;
    totals["air_truncated"] += m_truncated;
    totals["air_clipped"] += m_clipped;
}

} // namespace ns3::dlearn
