/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OPERATION_COUNTER_H
#define DLEARN_OPERATION_COUNTER_H

#include "ns3/nstime.h"

#include <optional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Floating-point operations that a learner has done. A computation does its operations evenly over
 * its time, and may end early.
 */
class OperationCounter
{
  public:
    /**
     * A computation begins; the one before must be over.
     *
     * @param time that it takes; 0: it is done at once
     * @param operations that it does in this time
     */
    void Begin(Time time, double operations);

    /** The computation is over, whether it is finished or not. */
    void End();

    /** @return whether a computation is under way, or finished but not over */
    bool IsBusy() const { return m_computation.has_value(); }

    /** @return operations that are done now, of all computations */
    double GetDone() const;

    /**
     * @param joules of an operation
     * @return watts of the computation that is under way; 0 without one, or when it takes no time
     */
    double GetPower(double joules) const;

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(m_done, m_computation);
    }

  private:
    /** A computation. */
    struct Computation
    {
        Time begin;        //!< when it began
        Time time;         //!< that it takes
        double operations; //!< that it does

        /** @return operations that are done now */
        double GetDone() const;

        /** @param archive saves or loads the values */
        template <typename Archive>
        void VisitState(Archive& archive)
        {
            archive(begin, time, operations);
        }
    };

    double m_done{0};                         //!< of computations that are over
    std::optional<Computation> m_computation; //!< under way
};

} // namespace ns3::dlearn

#endif // DLEARN_OPERATION_COUNTER_H
