/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EXTERNAL_SCHEDULE_H
#define DLEARN_EXTERNAL_SCHEDULE_H

#include "dlearn-learner-process.h"

#include "ns3/dlearn-schedule.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Synchronous rounds whose plans a process of the user makes, in any language: before each round
 * the process gets the RoundView, and says who takes part, when the round closes, and what clients
 * set. Settings travel with the model, as its figures. The process starts when something of it is
 * needed. The manual has the protocol.
 */
class ExternalSchedule : public ServerSchedule
{
  public:
    static TypeId GetTypeId();

    void Setup(const std::vector<LearnerId>& clients) override;
    RoundPlan Plan(const RoundView& view) override;

    std::vector<std::string> GetSettings() const override { return GetHello().settings; }

    std::vector<std::string> GetFigures() const override { return GetHello().figures; }

    CountRange CountUpdates() const override { return {1, m_clients.size()}; }

    /** @return 0: plans are not known */
    Time GetDeadline() const override { return Time(0); }

    bool IsSynchronous() const override { return true; }

    int64_t AssignStreams(int64_t /* stream */) override { return 0; }

  protected:
    void DoDispose() override;

  private:
    bool DoShouldClose(const RoundStatus& status, size_t /* buffered */) const override
    {
        return status.received >= m_enough ||
               (m_deadline.IsStrictlyPositive() && status.elapsed >= m_deadline);
    }

    /** @return what the process says of itself, which starts it */
    const LearnerHello& GetHello() const;

    std::string m_command; //!< attribute Command
    Time m_timeout;        //!< attribute Timeout
    std::vector<LearnerId> m_clients;
    mutable std::unique_ptr<LearnerProcess> m_process; //!< null until it is needed
    mutable LearnerHello m_hello;
    size_t m_enough{0}; //!< updates of the open round
    Time m_deadline;    //!< of the open round; 0: none
};

} // namespace ns3::dlearn

#endif // DLEARN_EXTERNAL_SCHEDULE_H
