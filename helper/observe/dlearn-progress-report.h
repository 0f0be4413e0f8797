/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROGRESS_REPORT_H
#define DLEARN_PROGRESS_REPORT_H

#include <chrono>
#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Tells on the standard error, once a second, how far a run is.
 */
class ProgressReport
{
  public:
    /** @param rounds that are to be closed, more than so far */
    void Plan(uint64_t rounds) { m_planned += rounds; }

    /** @return whether a second has passed since the last line, or since the beginning */
    bool IsDue() const;

    /**
     * Write a line.
     *
     * @param closed rounds
     * @param bytes that learners have received
     */
    void Write(uint64_t closed, uint64_t bytes);

  private:
    using Clock = std::chrono::steady_clock;

    uint64_t m_planned{0};                   //!< rounds that all are to do
    Clock::time_point m_start{Clock::now()}; //!< of the run
    Clock::time_point m_last{m_start};       //!< when the last line was written
};

} // namespace ns3::dlearn

#endif // DLEARN_PROGRESS_REPORT_H
