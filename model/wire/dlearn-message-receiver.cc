/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-receiver.h"

#include "ns3/log.h"

#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnMessageReceiver");

void
MessageReceiver::Setup(LearnerId self, uint32_t unfinishedLimit, Surroundings surroundings)
{
    m_self = self;
    m_assembler.emplace(unfinishedLimit);
    m_refused.emplace(unfinishedLimit);
    m_surroundings = std::move(surroundings);
}

void
MessageReceiver::SetSink(ClassifyCallback classify, OfferCallback offer)
{
    m_classify = classify;
    m_offer = offer;
}

void
MessageReceiver::Clear()
{
    m_assembler->Clear();
    m_refused->Clear();
}

void
MessageReceiver::HandleFragment(std::optional<LearnerId> from,
                                const ModelHeader& header,
                                const uint8_t* payload)
{
    NS_LOG_FUNCTION(this << m_self << header.sender << header.round << header.fragmentOffset);
    if (from != header.sender)
    {
        NS_LOG_INFO("learner " << m_self << " refuses a fragment that claims to be of learner "
                               << header.sender);
        ++(from ? m_counters.wrongSender : m_counters.unknownSender);
        return;
    }
    const Source source{header.sender, header.channel};
    const Disposition disposition = m_classify(source, header.round);
    // What is too early cannot be used, but when it is whole it tells where the sender is.
    const bool wanted =
        disposition != Disposition::DUPLICATE && disposition != Disposition::UNEXPECTED;
    if (!wanted)
    {
        ++m_counters.unwanted;
        const bool repair =
            disposition == Disposition::DUPLICATE && m_surroundings.repeatsFragments();
        if (!repair)
        {
            Refuse(header);
        }
        return;
    }
    if (header.vectorLength != m_surroundings.getLength(header.channel))
    {
        NS_LOG_INFO("learner " << m_self << " refuses a vector of " << header.vectorLength
                               << " entries from learner " << header.sender);
        ++m_counters.wrongLength;
        Refuse(header);
        return;
    }
    const auto result = m_assembler->Add(header, payload);
    if (result == MessageAssembler::Result::CONTRADICTORY)
    {
        ++m_counters.contradictory;
    }
    if (result != MessageAssembler::Result::COMPLETE)
    {
        return;
    }
    const MessageAssembler::Key key{header.sender, header.channel, header.round};
    const bool usable = IsUsable(key);
    auto arrival = m_assembler->Take(key);
    if (!usable)
    {
        arrival = std::nullopt;
    }
    m_offer(source, header.round, arrival);
}

void
MessageReceiver::HandleMalformed(uint32_t size)
{
    NS_LOG_INFO("learner " << m_self << " refuses " << size << " malformed bytes");
    ++m_counters.malformed;
}

std::vector<ByteRange>
MessageReceiver::FindMissing(LearnerId from, ModelChannel channel, uint32_t round, uint32_t length)
{
    const Disposition disposition = m_classify({from, channel}, round);
    if (disposition != Disposition::ON_TIME && disposition != Disposition::EARLY)
    {
        return {};
    }
    return m_assembler->GetMissing({from, channel, round}, length);
}

std::vector<uint8_t>
MessageReceiver::CopyBytes(LearnerId from, ModelChannel channel, uint32_t round, ByteRange range)
{
    return m_assembler->CopyBytes({from, channel, round}, range);
}

std::optional<Arrival>
MessageReceiver::TakePartial(const Source& source, uint32_t round)
{
    const MessageAssembler::Key key{source.first, source.second, round};
    const bool usable = IsUsable(key);
    auto arrival = m_assembler->Take(key);
    return usable ? std::move(arrival) : std::nullopt;
}

bool
MessageReceiver::IsUsable(const MessageAssembler::Key& key)
{
    const auto flaw = m_assembler->GetFlaw(key);
    m_counters.undecodable += flaw == MessageAssembler::Flaw::UNDECODABLE ? 1 : 0;
    m_counters.notFinite += flaw == MessageAssembler::Flaw::NOT_FINITE ? 1 : 0;
    return flaw == MessageAssembler::Flaw::NONE;
}

void
MessageReceiver::Refuse(const ModelHeader& header)
{
    if (m_refused->Add(header))
    {
        std::optional<Arrival> nothing;
        m_offer({header.sender, header.channel}, header.round, nothing);
    }
}

void
MessageReceiver::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["malformed"] += m_counters.malformed;
    totals["unknown_sender"] += m_counters.unknownSender;
    totals["wrong_sender"] += m_counters.wrongSender;
    totals["contradictory_fragments"] += m_counters.contradictory;
    totals["unwanted_fragments"] += m_counters.unwanted;
    totals["wrong_length_fragments"] += m_counters.wrongLength;
    totals["not_finite"] += m_counters.notFinite;
    totals["undecodable"] += m_counters.undecodable;
    totals["evicted"] += GetEvicted();
}

} // namespace ns3::dlearn
