/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_RECORDS_H
#define DLEARN_CLIENT_RECORDS_H

#include "dlearn-round-record.h"

#include "ns3/dlearn-learner-rule.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The records of a client, one for each round in which an update was sent. Sending takes time: a
 * record is made when the update is handed to the message layer, and completed later.
 *
 * A record says what was spent when it was made, an update that is on its way included. What costs
 * the client privacy later, such as noise that others reveal or a model that a trusted server
 * makes, is in the next record. After the last one it makes one more in the end, which counts no
 * messages.
 */
class ClientRecords
{
  public:
    /** @param record of a round whose update was handed over, still without all of its bytes */
    void Add(const RoundRecord& record);

    /** @return whether the newest record is not complete */
    bool IsOpen() const { return m_open; }

    /** @return the newest record, to add what was sent since it was made; null for none */
    RoundRecord* GetLast() { return m_records.empty() ? nullptr : &m_records.back(); }

    /**
     * The sending of the newest record's update is over. An update that has not left costs nothing.
     * @param rule knows what was spent
     */
    void Complete(const LearnerRule& rule);

    /**
     * Something elsewhere costs privacy now. A record that is made later shows it.
     * @param round in which
     */
    void NoteExposure(uint32_t round) { m_exposure.Note(round); }

    /**
     * Add a record of that cost, unless one shows it.
     *
     * @param client whose records these are
     * @param rule knows what it cost
     */
    void RecordExposure(LearnerId client, const LearnerRule& rule)
    {
        m_exposure.Record(client, rule, m_records);
    }

    /** @return one record for each round; the newest may be open */
    const std::vector<RoundRecord>& Get() const { return m_records; }

    /** @throw std::logic_error when a conservation law of RoundRecord does not hold */
    void CheckConservation() const;

  private:
    std::vector<RoundRecord> m_records; //!< of rounds in which an update was sent
    bool m_open{false};                 //!< whether the newest is not complete
    UnrecordedExposure m_exposure;      //!< that no record tells of
};

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_RECORDS_H
