/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_WINDOW_H
#define DLEARN_ROUND_WINDOW_H

#include "dlearn-message-window.h"

#include <map>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Sorts the messages of one learner by round: those of the open round, those that are early and
 * have to wait, those that are late, and duplicates. A round expects one message from each source,
 * made in that round; rounds that are never opened (skipped after a restart) expect none.
 */
class RoundWindow : public MessageWindow
{
  public:
    /**
     * @param sources every message that a round may await
     * @param ahead how many rounds ahead of the open one a message may be, at least 1
     */
    RoundWindow(const std::vector<Source>& sources, uint32_t ahead);

    Disposition Classify(const Source& source, uint32_t round) const override;
    std::vector<Source> GetMissing() const override;
    std::vector<Source> GetUnused() const override;
    bool HasPassed(const Source& source) const override;

    uint32_t GetReceived() const override { return m_current.size(); }

  protected:
    void DoOpen() override;
    void TakeOnTime(const Source& source, uint32_t round, std::optional<Arrival> arrival) override;

    void TakeEarly(const Source& source, uint32_t round, std::optional<Arrival> arrival) override
    {
        m_early[round].emplace(source, std::move(arrival));
    }

    void TakeLate(const Source& source, uint32_t round) override;
    std::map<Source, Arrival> DoClose(RoundRecord& record) override;
    uint64_t DoAbandon() override;
    uint64_t CountWaiting() const override;

    uint64_t CountUnrecordedLate() const override { return 0; }

  private:
    /** Messages by source; nothing for those that cannot be used. */
    using Waiting = std::map<Source, std::optional<Arrival>>;

    uint32_t m_ahead;                                       //!< size of the waiting room
    Waiting m_current;                                      //!< of the open round
    std::map<uint32_t, Waiting> m_early;                    //!< of coming rounds
    std::map<std::pair<uint32_t, Source>, size_t> m_missed; //!< not arrived -> its record
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_WINDOW_H
