/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COUNTED_TRACE_H
#define DLEARN_COUNTED_TRACE_H

#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A trace source that tells its owner while its sinks run, so that what a sink asks of the owner
 * can wait until the owner has finished what it is doing.
 *
 * @tparam Ts parameters of the trace
 */
template <typename... Ts>
class CountedTrace : public TracedCallback<Ts...>
{
  public:
    /** @param running counter of the owner, which outlives the trace: sources whose sinks run */
    explicit CountedTrace(uint32_t& running)
        : m_running(running)
    {
    }

    CountedTrace(const CountedTrace&) = delete;
    CountedTrace& operator=(const CountedTrace&) = delete;

    /** @param arguments of the trace */
    void operator()(Ts... arguments) const
    {
        const Count count(m_running);
        TracedCallback<Ts...>::operator()(arguments...);
    }

  private:
    /** Counts one up for as long as it lives, also when a sink throws. */
    class Count
    {
      public:
        explicit Count(uint32_t& running)
            : m_running(running)
        {
            ++m_running;
        }

        ~Count() { --m_running; }

        Count(const Count&) = delete;
        Count& operator=(const Count&) = delete;

      private:
        uint32_t& m_running; //!< counter of the owner
    };

    uint32_t& m_running; //!< counter of the owner
};

} // namespace ns3::dlearn

#endif // DLEARN_COUNTED_TRACE_H
