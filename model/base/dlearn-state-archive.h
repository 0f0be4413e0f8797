/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STATE_ARCHIVE_H
#define DLEARN_STATE_ARCHIVE_H

#include "ns3/nstime.h"

#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Values as bytes, for the other ranks of a run. The same code saves and loads: a class names once
 * the members that are its value,
 *
 * @code
 *   auto Tie() { return std::tie(m_round, m_sum); }
 * @endcode
 *
 * Numbers and all else that can be copied as bytes, ns3::Time, sequences (strings, vectors, those
 * of Eigen, too), pairs, tuples, maps and classes with Tie() can be visited. Bytes are those
 * of the machine, for the same program.
 */
class StateArchive
{
  public:
    /** An archive that saves. */
    StateArchive() = default;

    /** @param bytes of an archive that saved, to be loaded */
    explicit StateArchive(std::string bytes)
        : m_loading(true),
          m_bytes(std::move(bytes))
    {
    }

    bool IsLoading() const { return m_loading; }

    const std::string& GetBytes() const { return m_bytes; }

    /** @throw std::invalid_argument if bytes are left to be loaded */
    void CheckEnd() const
    {
        if (m_position != m_bytes.size())
        {
            throw std::invalid_argument("bytes of another rank: too many");
        }
    }

    /**
     * @param values to be saved, or to be loaded, in this order
     * @throw std::invalid_argument if there are not enough bytes to be loaded
     */
    template <typename... Values>
    void operator()(Values&... values)
    {
        (Visit(values), ...);
    }

  private:
    void VisitBytes(void* data, size_t size)
    {
        if (!m_loading)
        {
            m_bytes.append(static_cast<const char*>(data), size);
            return;
        }
        if (size > m_bytes.size() - m_position)
        {
            throw std::invalid_argument("bytes of another rank: too few");
        }
        m_bytes.copy(static_cast<char*>(data), size, m_position);
        m_position += size;
    }

    template <typename Value, typename = void>
    struct IsSequence : std::false_type
    {
    };

    template <typename Value>
    struct IsSequence<Value, std::void_t<decltype(std::declval<Value&>().resize(0))>>
        : std::true_type
    {
    };

    template <typename Value>
    void Visit(Value& value)
    {
        if constexpr (std::is_trivially_copyable_v<Value>)
        {
            VisitBytes(&value, sizeof(value));
        }
        else if constexpr (IsSequence<Value>::value)
        {
            VisitSequence(value);
        }
        else
        {
            auto members = value.Tie();
            Visit(members);
        }
    }

    void Visit(Time& value)
    {
        int64_t steps = value.GetTimeStep();
        Visit(steps);
        value = TimeStep(steps);
    }

    template <typename Key, typename Value>
    void Visit(std::map<Key, Value>& value)
    {
        std::vector<std::pair<Key, Value>> entries(value.begin(), value.end());
        Visit(entries);
        value = std::map<Key, Value>(entries.begin(), entries.end());
    }

    template <typename First, typename Second>
    void Visit(std::pair<First, Second>& value)
    {
        (*this)(value.first, value.second);
    }

    template <typename... Values>
    void Visit(std::tuple<Values...>& value)
    {
        std::apply(*this, value);
    }

    template <typename Sequence>
    void VisitSequence(Sequence& sequence)
    {
        uint64_t size = sequence.size();
        Visit(size);
        sequence.resize(size);
        for (auto& entry : sequence)
        {
            Visit(entry);
        }
    }

    bool m_loading{false};
    std::string m_bytes;
    size_t m_position{0}; //!< of the next byte to be loaded
};

/** @return the bytes of a value, see StateArchive */
template <typename Value>
std::string
SaveState(Value value)
{
    StateArchive archive;
    archive(value);
    return archive.GetBytes();
}

/**
 * @param bytes of SaveState()
 * @return the value
 * @throw std::invalid_argument for the bytes of another type
 */
template <typename Value>
Value
LoadState(std::string bytes)
{
    StateArchive archive(std::move(bytes));
    Value value;
    archive(value);
    archive.CheckEnd();
    return value;
}

} // namespace ns3::dlearn

#endif // DLEARN_STATE_ARCHIVE_H
