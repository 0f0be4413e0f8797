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
            .AddAttribute(
                "Projection",
                "Symbols of a slot over the entries of a vector. Below 1, clients project "
                "sparse updates by a random matrix, and the receiver recovers their sum.",
                DoubleValue(1),
                MakeFixedAccessor(MakeDoubleAccessor(&C::m_projection), &C::IsSetUp),
                MakeDoubleChecker<double>(1e-6, 1))
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
    return Seconds(CountSymbols(entries) / m_bandwidth);
}

uint32_t
MultipleAccessChannel::CountSymbols(uint32_t entries) const
{
    return static_cast<uint32_t>(std::ceil(m_projection * entries));
}

int64_t
MultipleAccessChannel::AssignStreams(int64_t stream)
{
    m_noise->SetStream(stream);
    m_errors->SetStream(stream + 1);
    int64_t used = 2 + m_loss->AssignStreams(stream + 2);
    used += m_fading ? m_fading->AssignStreams(stream + used) : 0;
    m_random->SetStream(stream + used);
    return used + 1;
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
    const Transmission transmission = Transmit(round, slot);
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
    const Transmission transmission = Transmit(round, slot);
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

std::vector<MultipleAccessChannel::Signal>
MultipleAccessChannel::Draw(const Slot& slot, Sum& sum) const
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
    std::vector<Signal> signals;
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
        const double known = real * real + imaginary * imaginary;
        const double power = m_powerControl->GetPower(link, known);
        const Message& message = waiting.first;
        if (power <= 0 || !message->Decode().allFinite()) // no signal is infinite
        {
            sum.truncated.push_back(client);
            continue;
        }
        signals.push_back({client,
                           message,
                           power,
                           std::sqrt(power * link.path * gain),
                           std::sqrt(power * link.path * known),
                           m_powerControl->GetAmplitude(link),
                           phase});
    }
    return signals;
}

void
MultipleAccessChannel::Protect(double noise, bool receiver, ReleaseCallback release)
{
    Require(receiver || (m_phaseError == 0 && m_estimateVariance == 0),
            "MultipleAccessChannel: where only the noise of clients counts, PhaseError and "
            "EstimateVariance must be 0, got {} and {}",
            m_phaseError,
            m_estimateVariance);
    Require(!IsProjecting(),
            "MultipleAccessChannel: Projection must be 1 with privacy, as no account bounds what "
            "it and the choice of entries disclose; got {}",
            m_projection);
    m_least = noise;
    m_receiverHides = receiver;
    m_release = std::move(release);
}

double
MultipleAccessChannel::GetNoise() const
{
    // The real half of it.
    return std::sqrt(BOLTZMANN * TEMPERATURE * m_bandwidth * FromDecibels(m_noiseFigure) / 2);
}

std::optional<double>
MultipleAccessChannel::Hide(uint32_t round, std::vector<Signal>& signals) const
{
    if (!m_release || signals.empty())
    {
        return 0;
    }
    double largest = 0; // part of an update, as clients know it
    double squares = 0;
    for (const Signal& signal : signals)
    {
        largest = std::max(largest, m_weights.at(signal.client) * signal.estimate);
        squares += signal.estimate * signal.estimate;
    }
    const double scale = std::sqrt(signals[0].message->GetVectorLength()) / m_clip;
    const double needed = m_least * largest * scale; // in sqrt(W)
    const double quieter = m_receiverHides ? std::min(1.0, GetNoise() / needed) : 1;
    const double share = m_receiverHides ? 0 : needed * needed / (squares + needed * needed);
    const double noise = m_receiverHides ? GetNoise() : std::sqrt(share * squares);
    std::map<LearnerId, double> exposures;
    for (Signal& signal : signals)
    {
        signal.power *= quieter * quieter;
        signal.amplitude *= quieter;
        signal.expected *= quieter * std::sqrt(1 - share);
        exposures[signal.client] =
            m_weights.at(signal.client) * signal.amplitude * scale * std::sqrt(1 - share) / noise;
    }
    return m_release(round, exposures) ? std::optional<double>(share) : std::nullopt;
}

MultipleAccessChannel::Transmission
MultipleAccessChannel::Transmit(uint32_t round, Slot& slot)
{
    Transmission result;
    std::vector<Signal> signals = Draw(slot, result.sum);
    const std::optional<double> hidden = Hide(round, signals);
    const double share = hidden.value_or(0);
    if (!hidden)
    {
        ++m_withheld;
        for (const Signal& signal : std::exchange(signals, {}))
        {
            result.sum.truncated.push_back(signal.client);
        }
        std::sort(result.sum.truncated.begin(), result.sum.truncated.end());
    }
    double expected = 0;
    double noise = 0; // its variance
    for (const Signal& signal : signals)
    {
        const double weight = m_weights.at(signal.client);
        const ModelVector whole = weight * signal.message->Decode();
        const auto entries = static_cast<uint32_t>(whole.size());
        if (IsProjecting() && !m_matrix)
        {
            m_matrix.emplace(entries, CountSymbols(entries), *m_random);
        }
        const ModelVector update = IsProjecting() ? m_matrix->Apply(whole) : whole;
        const double norm = update.norm();
        const double length = std::min(norm, m_clip);
        m_clipped += norm > (1 + 1e-6) * m_clip ? 1 : 0; // more than the rounding of floats
        const double scale = norm > m_clip ? m_clip / norm : 1;
        ModelVector& sum = result.sum.mean;
        if (sum.size() == 0)
        {
            sum = ModelVector::Zero(update.size());
        }
        const double arrived = signal.amplitude * std::cos(signal.phase);
        sum += std::sqrt(1 - share) * arrived * scale * update;
        noise += share * arrived * arrived;
        expected += weight * signal.expected;
        const double square = (1 - share) * length * length / (m_clip * m_clip) + share;
        result.sum.members.push_back(signal.client);
        result.sent.emplace_back(signal.message,
                                 signal.power * square * GetSlot(entries).GetSeconds());
    }
    slot.waiting.clear();
    ++m_sums;
    m_truncated += result.sum.truncated.size();
    noise += GetNoise() * GetNoise();
    for (double& entry : result.sum.mean)
    {
        entry += m_clip * std::sqrt(noise / result.sum.mean.size()) * m_noise->GetValue();
        entry /= expected;
    }
    if (IsProjecting() && expected > 0)
    {
        result.sum.mean = m_matrix->Recover(result.sum.mean);
    }
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
    if (m_release)
    {
        totals["air_withheld"] += m_withheld;
    }
}

} // namespace ns3::dlearn
