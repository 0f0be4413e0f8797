/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STATE_ARCHIVE_H
#define DLEARN_STATE_ARCHIVE_H

#include "dlearn-pending-events.h"
#include "dlearn-state-bytes.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

class StateArchive;

namespace internal
{

/** Whether a type has a member function VisitState(). */
template <typename T, typename = void>
struct HasVisitState : std::false_type
{
};

/** It has. */
template <typename T>
struct HasVisitState<
    T,
    std::void_t<decltype(std::declval<T&>().VisitState(std::declval<StateArchive&>()))>>
    : std::true_type
{
};

/** Saves or loads the state of an object whose type is known to whoever registered it. */
using StateVisitor = void (*)(Object&, StateArchive&);

/**
 * @param type exactly the type of the objects
 * @param visitor saves or loads their state
 */
void RegisterState(const std::type_info& type, StateVisitor visitor);

} // namespace internal

/**
 * @ingroup dlearn
 * The state of a simulation as bytes: what changes while it runs, and is not known from how it was
 * set up. The same code saves and loads: a class says once what its state is,
 *
 * @code
 *   void MyNoise::VisitState(StateArchive& archive)
 *   {
 *       NoiseMechanism::VisitState(archive); // of a base class that has state
 *       archive(m_round, m_sum, m_random);
 *   }
 * @endcode
 *
 * and registers its type with DLEARN_STATE_ENSURE_REGISTERED(MyNoise) in its source file, even when
 * it inherits all of its state or has none: an object whose exact type is not registered is
 * refused by name, so that no state is left out without a word.
 *
 * What can be visited: numbers, bool, enumerations, strings, ns3::Time, vectors and matrices of
 * Eigen, containers of these, classes with VisitState(), random streams and parts (Ptr), and events
 * (VisitEvent()). Of a random stream the position is saved, so that the same numbers follow. A part
 * that several owners share is visited once. An object must be set up as it was before its state is
 * loaded into it.
 *
 * The bytes are those of the machine: a file is for the same program on a machine of the same kind.
 */
class StateArchive
{
  public:
    /** An archive that saves. */
    StateArchive() = default;

    /**
     * An archive that loads.
     * @param bytes what an archive that saved has written
     */
    explicit StateArchive(std::string bytes);

    StateArchive(const StateArchive&) = delete;
    StateArchive& operator=(const StateArchive&) = delete;

    /**
     * Save empty vectors in place of those of so many numbers, such as models, which need not be
     * known where the state is loaded.
     *
     * @param numbers how many; 0: leave none out
     */
    void LeaveOut(size_t numbers)
    {
        m_leftOut = numbers;
    }

    /** @return whether it loads; else it saves */
    bool IsLoading() const
    {
        return m_bytes.IsLoading();
    }

    /** @return what was saved so far */
    const std::string& GetBytes() const
    {
        return m_bytes.GetBytes();
    }

    /**
     * What follows belongs together. Loading refuses a file that has something else here.
     * @param name of it
     */
    void Begin(const std::string& name)
    {
        m_bytes.Begin(name);
    }

    /** @throw std::invalid_argument when something is left to be loaded */
    void CheckEnd() const
    {
        m_bytes.CheckEnd();
    }

    /**
     * @param values to be saved, or to be loaded, in this order
     * @throw std::invalid_argument when there is no such value to be loaded, or the type of a part
     *        is not registered
     */
    template <typename... Values>
    void operator()(Values&... values)
    {
        (Visit(values), ...);
    }

    /**
     * An event that may be pending. It is scheduled again by ScheduleEvents().
     *
     * @param event that the owner keeps; it must outlive the archive
     * @param schedule schedules it after a delay, as its owner does
     */
    void VisitEvent(EventId& event, PendingEvents::Scheduler schedule);

    /**
     * Schedule all events that were pending, in the order in which they had been scheduled: events
     * of one time run in this order.
     */
    void ScheduleEvents()
    {
        m_events.Schedule();
    }

  private:
    template <typename Matrix>
    void VisitMatrix(Matrix& matrix);
    template <typename Sequence>
    void VisitSequence(Sequence& sequence);
    template <typename Set>
    void VisitSet(Set& set);
    template <typename Map>
    void VisitMap(Map& map);

    template <typename Value>
    void Visit(Value& value);
    template <typename Value>
    void Visit(std::optional<Value>& value);
    template <typename First, typename Second>
    void Visit(std::pair<First, Second>& value);
    template <typename Value>
    void Visit(std::shared_ptr<const Value>& value);

    template <typename... Values>
    void Visit(std::tuple<Values...>& value)
    {
        std::apply(*this, value);
    }

    template <typename Part>
    void Visit(Ptr<Part>& part);

    void Visit(std::string& value)
    {
        m_bytes.Visit(value);
    }

    void Visit(std::vector<bool>& value);
    void Visit(Time& value);

    template <typename Value>
    void Visit(std::vector<Value>& value)
    {
        VisitSequence(value);
    }

    template <typename Value>
    void Visit(std::deque<Value>& value)
    {
        VisitSequence(value);
    }

    template <typename Value>
    void Visit(std::set<Value>& value)
    {
        VisitSet(value);
    }

    template <typename Key, typename Value>
    void Visit(std::map<Key, Value>& value)
    {
        VisitMap(value);
    }

    template <typename Key, typename Value>
    void Visit(std::multimap<Key, Value>& value)
    {
        VisitMap(value);
    }

    template <typename Scalar, int Rows, int Cols, int Options, int MaxRows, int MaxCols>
    void Visit(Eigen::Matrix<Scalar, Rows, Cols, Options, MaxRows, MaxCols>& value)
    {
        VisitMatrix(value);
    }

    template <typename Scalar, int Rows, int Cols, int Options, int MaxRows, int MaxCols>
    void Visit(Eigen::Array<Scalar, Rows, Cols, Options, MaxRows, MaxCols>& value)
    {
        VisitMatrix(value);
    }

    void VisitStream(RandomVariableStream& stream);
    void VisitObject(Object* object);

    StateBytes m_bytes;                                       //!< saved, or to be loaded
    size_t m_leftOut{0};                                      //!< numbers of vectors left out
    std::map<const void*, uint64_t> m_numbers;                //!< of what is shared, when saving
    std::map<uint64_t, std::shared_ptr<const void>> m_shared; //!< by number
    std::set<const Object*> m_seen;                           //!< objects that were visited
    PendingEvents m_events;                                   //!< events to be scheduled
};

/**
 * @ingroup dlearn
 * @param object an object
 * @return whether its exact type is registered, so that its state can be saved
 */
bool HasRegisteredState(const Object& object);

template <typename Value>
void
StateArchive::Visit(Value& value)
{
    if constexpr (internal::HasVisitState<Value>::value)
    {
        value.VisitState(*this);
    }
    else if constexpr (std::is_same_v<Value, bool>)
    {
        uint8_t byte = value ? 1 : 0;
        m_bytes.VisitNumber(byte);
        value = byte != 0;
    }
    else
    {
        static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>,
                      "give the type a member function VisitState(StateArchive&)");
        m_bytes.VisitNumber(value);
    }
}

template <typename Value>
void
StateArchive::Visit(std::optional<Value>& value)
{
    bool has = value.has_value();
    (*this)(has);
    if (IsLoading())
    {
        value.reset();
        if (has)
        {
            value.emplace();
        }
    }
    if (has)
    {
        (*this)(*value);
    }
}

template <typename First, typename Second>
void
StateArchive::Visit(std::pair<First, Second>& value)
{
    (*this)(value.first, value.second);
}

template <typename Value>
void
StateArchive::Visit(std::shared_ptr<const Value>& value)
{
    // What several owners share is saved once, under a number; 0 is for nothing.
    uint64_t number = 0;
    if (!IsLoading() && value)
    {
        number = m_numbers.try_emplace(value.get(), m_numbers.size() + 1).first->second;
    }
    (*this)(number);
    auto& shared = m_shared[number];
    if (number > 0 && !shared)
    {
        auto copy = std::make_shared<Value>(value && !IsLoading() ? *value : Value());
        (*this)(*copy);
        shared = copy;
    }
    if (IsLoading())
    {
        value = std::static_pointer_cast<const Value>(shared);
    }
}

template <typename Part>
void
StateArchive::Visit(Ptr<Part>& part)
{
    if constexpr (std::is_base_of_v<RandomVariableStream, Part>)
    {
        static_assert(!std::is_base_of_v<NormalRandomVariable, Part>, "use NormalDraws");
        VisitStream(*part);
    }
    else
    {
        VisitObject(PeekPointer(part));
    }
}

template <typename Matrix>
void
StateArchive::VisitMatrix(Matrix& matrix)
{
    constexpr uint64_t ENTRY = sizeof(typename Matrix::Scalar);
    constexpr uint64_t COLS = Matrix::ColsAtCompileTime; // of a vector, which has no other number
    // Arrays are figures of accounts and the like, not models.
    constexpr bool IS_VECTOR =
        std::is_base_of_v<Eigen::MatrixBase<Matrix>, Matrix> && Matrix::ColsAtCompileTime == 1;
    const bool leftOut = !IsLoading() && m_leftOut > 0 && IS_VECTOR &&
                         static_cast<size_t>(matrix.size()) == m_leftOut;
    uint64_t rows = leftOut ? 0 : matrix.rows();
    uint64_t cols = matrix.cols();
    m_bytes.VisitNumber(rows);
    m_bytes.VisitNumber(cols);
    if (IsLoading())
    {
        m_bytes.CheckMatrix(rows,
                            cols,
                            ENTRY,
                            Matrix::ColsAtCompileTime == Eigen::Dynamic ? cols : COLS);
        matrix.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
    }
    m_bytes.Visit(matrix.data(), rows * cols * ENTRY);
}

template <typename Sequence>
void
StateArchive::VisitSequence(Sequence& sequence)
{
    const uint64_t size = m_bytes.VisitSize(sequence.size());
    if (IsLoading())
    {
        sequence.clear();
        for (uint64_t k = 0; k < size; ++k)
        {
            sequence.emplace_back();
            (*this)(sequence.back());
        }
        return;
    }
    for (auto& item : sequence)
    {
        (*this)(item);
    }
}

template <typename Set>
void
StateArchive::VisitSet(Set& set)
{
    const uint64_t size = m_bytes.VisitSize(set.size());
    Set loaded;
    auto item = set.begin();
    for (uint64_t k = 0; k < size; ++k)
    {
        typename Set::value_type value = IsLoading() ? typename Set::value_type() : *item++;
        (*this)(value);
        loaded.insert(std::move(value));
    }
    set = std::move(loaded);
}

template <typename Map>
void
StateArchive::VisitMap(Map& map)
{
    const uint64_t size = m_bytes.VisitSize(map.size());
    if (IsLoading())
    {
        map.clear();
        for (uint64_t k = 0; k < size; ++k)
        {
            std::pair<typename Map::key_type, typename Map::mapped_type> entry;
            (*this)(entry);
            map.emplace_hint(map.end(), std::move(entry));
        }
        return;
    }
    for (auto& [key, value] : map)
    {
        typename Map::key_type copy = key;
        (*this)(copy, value);
    }
}

/**
 * @ingroup dlearn
 * Register the state of a type derived from Object, in its source file. The type has a public
 * member function VisitState(StateArchive&), maybe inherited, unless it has no state at all.
 */
template <typename Type>
class StateRegistration
{
  public:
    StateRegistration()
    {
        internal::RegisterState(typeid(Type), [](Object& object, StateArchive& archive) {
            if constexpr (internal::HasVisitState<Type>::value)
            {
                static_cast<Type&>(object).VisitState(archive);
            }
        });
    }
};

/** Register the state of a type, see StateRegistration. */
#define DLEARN_STATE_ENSURE_REGISTERED(type)                                                       \
    static const ns3::dlearn::StateRegistration<type> g_stateOf##type

} // namespace ns3::dlearn

#endif // DLEARN_STATE_ARCHIVE_H
