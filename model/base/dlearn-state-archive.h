/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STATE_ARCHIVE_H
#define DLEARN_STATE_ARCHIVE_H

#include "ns3/nstime.h"

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
 * Values as bytes, for the other ranks of a run. The same code saves and loads: a class says once
 * what belongs to its value,
 *
 * @code
 *   template <typename Archive>
 *   void VisitState(Archive& archive)
 *   {
 *       archive(m_round, m_sum);
 *   }
 * @endcode
 *
 * Numbers, enumerations, strings, ns3::Time, vectors of Eigen, containers of these and classes with
 * VisitState() can be visited. Bytes are those of the machine, for the same program.
 */
class StateArchive
{
  public:
    /** An archive that saves. */
    StateArchive() = default;

    /**
     * An archive that loads.
     * @param bytes of an archive that saved
     */
    explicit StateArchive(std::string bytes)
        : m_loading(true),
          m_bytes(std::move(bytes))
    {
    }

    /** @return whether it loads; else it saves */
    bool IsLoading() const { return m_loading; }

    /** @return the bytes saved so far */
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

    template <typename Value>
    void Visit(Value& value)
    {
        if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
        {
            VisitBytes(&value, sizeof(value));
        }
        else
        {
            value.VisitState(*this);
        }
    }

    void Visit(Time& value)
    {
        int64_t steps = value.GetTimeStep();
        Visit(steps);
        value = TimeStep(steps);
    }

    void Visit(std::string& value) { VisitSequence(value); }

    template <typename Value>
    void Visit(std::vector<Value>& value)
    {
        VisitSequence(value);
    }

    template <typename Scalar, int Rows, int Options>
    void Visit(Eigen::Matrix<Scalar, Rows, 1, Options, Rows, 1>& value)
    {
        VisitSequence(value);
    }

    template <typename Scalar, int Rows, int Options>
    void Visit(Eigen::Array<Scalar, Rows, 1, Options, Rows, 1>& value)
    {
        VisitSequence(value);
    }

    template <typename Value>
    void Visit(std::set<Value>& value)
    {
        std::vector<Value> entries(value.begin(), value.end());
        Visit(entries);
        value = std::set<Value>(entries.begin(), entries.end());
    }

    template <typename Key, typename Value>
    void Visit(std::map<Key, Value>& value)
    {
        std::vector<std::pair<Key, Value>> entries(value.begin(), value.end());
        Visit(entries);
        value = std::map<Key, Value>(entries.begin(), entries.end());
    }

    template <typename Value>
    void Visit(std::optional<Value>& value)
    {
        bool has = value.has_value();
        Visit(has);
        if (has)
        {
            value = value.value_or(Value());
            Visit(*value);
        }
        else
        {
            value.reset();
        }
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

} // namespace ns3::dlearn

#endif // DLEARN_STATE_ARCHIVE_H
