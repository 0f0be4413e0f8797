/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-receiver.h"

#include "ns3/dlearn-check.h"
#include "ns3/log.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ns3::dlearn
{

const char*
ToString(MessageDisposition disposition)
{
    switch (disposition)
    {
    case MessageDisposition::ON_TIME:
        return "on time";
    case MessageDisposition::EARLY:
        return "early";
    case MessageDisposition::LATE:
        return "late";
    case MessageDisposition::DUPLICATE:
        return "duplicate";
    case MessageDisposition::TOO_EARLY:
        return "too early";
    case MessageDisposition::UNEXPECTED:
        return "unexpected";
    }
    return "unknown";
}

namespace
{

/** @return the oldest round's of the messages of a sender, if it has @p limit of them; else end */
template <typename Messages>
typename Messages::iterator
FindOldest(Messages& messages, LearnerId sender, uint32_t limit)
{
    const auto first = messages.lower_bound({sender, static_cast<ModelChannel>(0), 0});
    uint32_t held = 0;
    auto oldest = first;
    for (auto it = first; it != messages.end() && std::get<0>(it->first) == sender; ++it, ++held)
    {
        if (std::get<2>(it->first) < std::get<2>(oldest->first))
        {
            oldest = it;
        }
    }
    return held < limit ? messages.end() : oldest;
}

/** @return the bytes of the vector, not of the figures, among some bytes of a message */
ByteRange
GetBody(const ModelHeader& header, uint32_t begin, size_t size)
{
    const uint32_t body = header.GetBodyLength();
    return {std::min(begin, body), std::min(begin + static_cast<uint32_t>(size), body)};
}

} // namespace

FragmentLog::FragmentLog(uint32_t limit)
    : m_limit(limit)
{
    Require(limit >= 1, "FragmentLog: limit must be at least 1, got ", limit);
}

bool
FragmentLog::Add(const ModelHeader& header)
{
    const Key key{header.sender, header.channel, header.round};
    if (m_messages.count(key) == 0)
    {
        const auto oldest = FindOldest(m_messages, header.sender, m_limit);
        if (oldest != m_messages.end())
        {
            m_messages.erase(oldest);
        }
    }
    Ranges& ranges = m_messages[key];
    uint32_t begin = header.fragmentOffset;
    uint32_t end = begin + header.payloadLength;
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second >= begin)
    {
        --next; // it reaches this one
    }
    while (next != ranges.end() && next->first <= end)
    {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = ranges.erase(next);
    }
    if (ranges.size() < MOST_RANGES)
    {
        ranges.emplace(begin, end);
    }
    const bool whole = begin == 0 && end == header.messageLength;
    if (whole)
    {
        m_messages.erase(key);
    }
    return whole;
}

MessageAssembler::MessageAssembler(uint32_t limit, uint64_t largest)
    : m_limit(limit),
      m_largest(largest)
{
    Require(limit >= 1, "MessageAssembler: limit must be at least 1, got ", limit);
}

MessageAssembler::Result
MessageAssembler::Add(const ModelHeader& header,
                      const uint8_t* payload,
                      std::optional<Key>* evicted)
{
    if (uint64_t{header.vectorLength} * sizeof(double) > m_largest)
    {
        return Result::TOO_LARGE;
    }
    const Key key{header.sender, header.channel, header.round};
    auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        const auto oldest = FindOldest(m_messages, header.sender, m_limit);
        if (oldest != m_messages.end())
        {
            const Key forgotten = oldest->first;
            Forget(forgotten);
            ++m_evicted;
            if (evicted)
            {
                *evicted = forgotten;
            }
        }
        found = m_messages.emplace(key, Unfinished{}).first;
        found->second.header = header;
        m_bytes += CountBytes(found->second);
    }
    Unfinished& message = found->second;
    if (header.messageLength != message.header.messageLength ||
        header.vectorLength != message.header.vectorLength ||
        header.figures != message.header.figures || header.encoding != message.header.encoding)
    {
        return Result::CONTRADICTORY;
    }
    if (message.IsWhole())
    {
        return Result::DUPLICATE;
    }
    m_bytes -= CountBytes(message);
    const uint32_t end = header.fragmentOffset + header.payloadLength;
    const uint32_t fresh = Insert(message, header.fragmentOffset, end, payload);
    message.count += fresh;
    if (message.IsWhole())
    {
        const bool dense = IsDense(header.encoding);
        message.flaw = (dense ? Decode : Unpack)(message, message.values);
        ReadFigures(message);
        message.pieces.clear();
    }
    m_bytes += CountBytes(message);
    return fresh == 0 ? Result::DUPLICATE : message.IsWhole() ? Result::COMPLETE : Result::STORED;
}

uint64_t
MessageAssembler::CountBytes(const Unfinished& message)
{
    const uint64_t bytes = message.pieces.empty() ? 0 : message.count;
    return MESSAGE_BYTES + message.pieces.size() * PIECE_BYTES + bytes +
           message.values.size() * sizeof(double);
}

uint32_t
MessageAssembler::Insert(Unfinished& message, uint32_t begin, uint32_t end, const uint8_t* bytes)
{
    Pieces& pieces = message.pieces;
    uint32_t fresh = 0;
    for (uint32_t place = begin; place < end;)
    {
        const auto next = pieces.upper_bound(place);
        auto last = next == pieces.begin() ? pieces.end() : std::prev(next);
        const uint32_t known =
            last == pieces.end() ? 0 : last->first + static_cast<uint32_t>(last->second.size());
        if (last != pieces.end() && known > place)
        {
            place = known;
            continue;
        }
        if (last == pieces.end() || known < place)
        {
            last = pieces.emplace_hint(next, place, std::vector<uint8_t>());
        }
        const uint32_t stop = next == pieces.end() ? end : std::min(end, next->first);
        last->second.insert(last->second.end(), bytes + (place - begin), bytes + (stop - begin));
        fresh += stop - place;
        place = stop;
    }
    return fresh;
}

MessageAssembler::Flaw
MessageAssembler::Decode(const Unfinished& message, ModelVector& values)
{
    const Encoding encoding = message.header.encoding;
    const uint32_t size = GetNumberSize(encoding);
    bool finite = true;
    values.resize(message.header.vectorLength);
    if (!message.IsWhole())
    {
        values.setZero();
    }
    for (const auto& [begin, bytes] : message.pieces)
    {
        const ByteRange body = GetBody(message.header, begin, bytes.size());
        const auto there = values.segment(body.begin / size, (body.end - body.begin) / size);
        finite = DecodeVector(bytes.data(), encoding, there) && finite;
    }
    // Floats of 8 bytes can be finite although results computed from them are not.
    finite = finite && (encoding != Encoding::FLOAT64 || std::isfinite(values.squaredNorm()));
    return finite ? Flaw::NONE : Flaw::NOT_FINITE;
}

MessageAssembler::Flaw
MessageAssembler::Unpack(const Unfinished& message, ModelVector& values)
{
    PackedVector packed;
    packed.encoding = message.header.encoding;
    packed.bytes.reserve(message.count);
    for (const auto& [begin, bytes] : message.pieces)
    {
        packed.bytes.insert(packed.bytes.end(), bytes.begin(), bytes.end());
    }
    packed.bytes.resize(message.header.GetBodyLength());
    values.resize(message.header.vectorLength);
    if (!UnpackVector(packed, values))
    {
        return Flaw::UNDECODABLE;
    }
    return std::isfinite(values.squaredNorm()) ? Flaw::NONE : Flaw::NOT_FINITE;
}

void
MessageAssembler::ReadFigures(Unfinished& message)
{
    const uint32_t body = message.header.GetBodyLength();
    std::vector<uint8_t> tail(ModelHeader::FIGURE_SIZE * message.header.figures);
    for (const auto& [begin, bytes] : message.pieces)
    {
        const uint32_t first = std::max(begin, body); // of the figures
        if (first < begin + bytes.size())
        {
            std::copy(bytes.begin() + (first - begin), bytes.end(), tail.begin() + (first - body));
        }
    }
    ModelVector figures(message.header.figures);
    if (!DecodeVector(tail.data(), Encoding::FLOAT64, figures) && message.flaw == Flaw::NONE)
    {
        message.flaw = Flaw::NOT_FINITE;
    }
    message.figures.assign(figures.begin(), figures.end());
}

MessageAssembler::Flaw
MessageAssembler::GetFlaw(const Key& key) const
{
    const auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        return Flaw::NONE;
    }
    const Unfinished& message = found->second;
    if (message.IsWhole() || !IsDense(message.header.encoding))
    {
        return message.flaw;
    }
    ModelVector values;
    return Decode(message, values);
}

std::vector<ByteRange>
MessageAssembler::GetMissing(const Key& key, uint32_t length) const
{
    const auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        return {{0, length}};
    }
    const Unfinished& message = found->second;
    if (message.IsWhole() || message.header.messageLength != length)
    {
        return {};
    }
    std::vector<ByteRange> missing;
    uint32_t known = 0;
    for (const auto& [begin, bytes] : message.pieces)
    {
        if (begin > known)
        {
            missing.push_back({known, begin});
        }
        known = begin + static_cast<uint32_t>(bytes.size());
    }
    if (known < length)
    {
        missing.push_back({known, length});
    }
    return missing;
}

std::vector<uint8_t>
MessageAssembler::CopyBytes(const Key& key, const ByteRange& range) const
{
    const auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        return {};
    }
    // Pieces that meet may be several.
    const Pieces& pieces = found->second.pieces;
    std::vector<uint8_t> copy;
    auto piece = pieces.upper_bound(range.begin);
    piece = piece == pieces.begin() ? piece : std::prev(piece);
    for (uint32_t place = range.begin; piece != pieces.end() && place < range.end; ++piece)
    {
        const auto& [begin, bytes] = *piece;
        const auto end = begin + static_cast<uint32_t>(bytes.size());
        if (begin > place || end <= place)
        {
            return {};
        }
        const uint32_t stop = std::min(end, range.end);
        copy.insert(copy.end(), bytes.begin() + (place - begin), bytes.begin() + (stop - begin));
        place = stop;
    }
    return copy.size() == range.end - range.begin ? copy : std::vector<uint8_t>{};
}

std::optional<Arrival>
MessageAssembler::Take(const Key& key)
{
    const auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        return std::nullopt;
    }
    Unfinished message = std::move(found->second);
    m_bytes -= CountBytes(message);
    m_messages.erase(found);
    const ModelHeader& header = message.header;
    if (!message.IsWhole() && !IsDense(header.encoding))
    {
        return std::nullopt;
    }
    Arrival arrival;
    arrival.round = header.round;
    arrival.bytes = header.messageLength;
    if (message.IsWhole())
    {
        arrival.values = std::move(message.values);
        arrival.figures = std::move(message.figures);
        return arrival;
    }
    Decode(message, arrival.values);
    const uint32_t size = GetNumberSize(header.encoding);
    arrival.present.assign(header.vectorLength, false);
    for (const auto& [begin, bytes] : message.pieces)
    {
        const ByteRange body = GetBody(header, begin, bytes.size());
        std::fill(arrival.present.begin() + body.begin / size,
                  arrival.present.begin() + body.end / size,
                  true);
    }
    return arrival;
}

void
MessageAssembler::Forget(const Key& key)
{
    const auto found = m_messages.find(key);
    if (found != m_messages.end())
    {
        m_bytes -= CountBytes(found->second);
        m_messages.erase(found);
    }
}

void
MessageAssembler::Clear()
{
    m_messages.clear();
    m_bytes = 0;
}

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
    // A message that is too early cannot be used, but when it is whole it shows the sender's round.
    const bool duplicate = disposition == Disposition::DUPLICATE;
    if (duplicate || disposition == Disposition::UNEXPECTED)
    {
        ++m_counters.unwanted;
        if (!duplicate || !m_surroundings.repeatsFragments())
        {
            Refuse(header);
        }
        return;
    }
    if (header.vectorLength != m_surroundings.getLength(header.channel) ||
        header.figures != m_surroundings.countFigures(header.channel))
    {
        NS_LOG_INFO("learner " << m_self << " refuses a vector of " << header.vectorLength
                               << " entries and " << +header.figures << " figures from learner "
                               << header.sender);
        ++m_counters.wrongLength;
        Refuse(header);
        return;
    }
    const auto result = m_assembler->Add(header, payload);
    m_counters.contradictory += result == MessageAssembler::Result::CONTRADICTORY;
    if (result != MessageAssembler::Result::COMPLETE)
    {
        return;
    }
    auto arrival = TakePartial(source, header.round);
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
    m_counters.undecodable += flaw == MessageAssembler::Flaw::UNDECODABLE;
    m_counters.notFinite += flaw == MessageAssembler::Flaw::NOT_FINITE;
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
