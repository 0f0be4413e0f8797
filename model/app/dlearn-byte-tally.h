/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BYTE_TALLY_H
#define DLEARN_BYTE_TALLY_H

#include <cstdint>
#include <map>
#include <string>

namespace ns3::dlearn
{

struct RoundRecord;
class Transport;

/**
 * @ingroup dlearn
 * Shares out the bytes of a learner's transport among its records, so that each byte is in one of
 * them: a record gets what none tells of yet. That is what was sent in its round, in rounds before
 * it that a crash ended, and by a transport that still had messages of rounds before.
 */
class ByteTally
{
  public:
    /**
     * @param transport of the learner
     * @param record gets what was sent
     */
    void CountSent(const Transport& transport, RoundRecord& record);

    /**
     * @param transport of the learner
     * @param record gets what was sent and received
     */
    void Count(const Transport& transport, RoundRecord& record);

    /**
     * The run is over.
     *
     * @param transport of the learner
     * @param last the newest record, which gets the rest; null for none
     * @param totals get the rest as `tx_bytes_without_row` and `rx_bytes_without_row` where there
     *        is no record
     */
    void Finish(const Transport& transport,
                RoundRecord* last,
                std::map<std::string, uint64_t>& totals);

  private:
    uint64_t m_sent{0};     //!< as far as records tell
    uint64_t m_received{0}; //!< likewise
};

} // namespace ns3::dlearn

#endif // DLEARN_BYTE_TALLY_H
