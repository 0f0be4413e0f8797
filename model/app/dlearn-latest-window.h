/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LATEST_WINDOW_H
#define DLEARN_LATEST_WINDOW_H

#include "dlearn-message-window.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The window of a learner that keeps no step with others: a round may use, of each source, the
 * newest message that came since the last round closed, whatever round the sender was in. The
 * learner does not wait.
 *
 * What a sender sends is numbered by its own rounds, so a gap in the numbers tells of messages that
 * did not come. The record of a round has
 *
 *  - expected: how many rounds the senders are further than when the last round closed, as far as
 *    their messages tell;
 *  - received: messages that came, none older than any of its source before;
 *  - used: at most one a source;
 *  - rejected: not usable, or superseded: a newer one came before the round closed;
 *  - late: came after a newer one of their source, so that they are of no use;
 *  - lost: the others.
 *
 * What a sender skips (a crash, a transport that is still busy) looks lost.
 *
 * A gap is believed only as far as it is likely: FIRST_GAP rounds, twice as many for each round
 * that this learner has closed since the last message of the source, and LARGEST_GAP at most. A
 * message beyond that is TOO_EARLY. A sender that claims false rounds therefore loses only its own
 * messages, and the number of messages that seem lost stays bounded.
 */
class LatestWindow : public MessageWindow
{
  public:
    /** Most rounds that may be missing between two messages that come in the same round. */
    static constexpr uint32_t FIRST_GAP = 64;

    /** Most rounds that may be missing between two messages, however long ago the first was. */
    static constexpr uint32_t LARGEST_GAP = 1 << 20;

    /** @param sources every message that a round may use */
    explicit LatestWindow(const std::vector<Source>& sources);

    Disposition Classify(const Source& source, uint32_t round) const override;

    /** @return nothing: the learner does not wait */
    std::vector<Source> GetMissing() const override;

    /** @return nothing likewise */
    std::vector<Source> GetUnused() const override;

    /** @return no */
    bool HasPassed(const Source& source) const override;

    uint32_t GetReceived() const override;

  protected:
    void DoOpen() override;
    void TakeOnTime(const Source& source, uint32_t round, std::optional<Arrival> arrival) override;
    void TakeLate(const Source& source, uint32_t round) override;
    std::map<Source, Arrival> DoClose(RoundRecord& record) override;
    uint64_t DoAbandon() override;
    uint64_t CountWaiting() const override;

    uint64_t CountUnrecordedLate() const override { return m_late; }

  private:
    /** Rounds in a row of which nothing has come. */
    struct Gap
    {
        uint64_t last; //!< of them
        size_t record; //!< index of the record that has them as lost, maybe still to be written
    };

    /** What is known of a source. */
    struct Stream
    {
        uint64_t next{0};             //!< round after the newest that came
        uint64_t closed{0};           //!< rounds of this learner closed when that came
        uint64_t came{0};             //!< messages since the last round closed
        std::optional<Arrival> fresh; //!< the newest usable one of them
        std::map<uint64_t, Gap> gaps; //!< missing rounds, by the first of them
    };

    /**
     * @param stream of a source
     * @param round of a message of it
     * @return whether the message is one of those that were skipped
     */
    static bool IsMissing(const Stream& stream, uint32_t round);

    /**
     * @param stream of a source
     * @return the longest step of its rounds that is believed, which grows with its silence
     */
    uint64_t GetBelievedGap(const Stream& stream) const;

    std::map<Source, Stream> m_streams; //!< by source
    uint64_t m_announced{0};            //!< expected of the record that comes next
    uint64_t m_gaps{0};                 //!< of these, neither received nor late
    uint64_t m_late{0};                 //!< of these, late
};

} // namespace ns3::dlearn

#endif // DLEARN_LATEST_WINDOW_H
