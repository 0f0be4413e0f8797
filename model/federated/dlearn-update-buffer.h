/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPDATE_BUFFER_H
#define DLEARN_UPDATE_BUFFER_H

#include "dlearn-server-rule.h"
#include "dlearn-staleness-policy.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Updates that came to a server and wait to be aggregated, and the versions of the model that
 * updates may still refer to. It knows what an update of an old model is worth.
 */
class UpdateBuffer
{
  public:
    /** Numbers of updates, over the whole run. */
    struct Counters
    {
        uint64_t discarded{0};                  //!< too old to be used
        uint64_t superseded{0};                 //!< replaced by a newer one of the same client
        uint64_t lateUsed{0};                   //!< taken although they came late
        uint64_t partial{0};                    //!< taken although only some entries came
        uint64_t lost{0};                       //!< dropped, as in a crash of the server
        std::map<uint32_t, uint64_t> staleness; //!< taken, by how many versions old they were
    };

    /**
     * @param policy what an old update is worth
     * @param limit versions that an update's model may be old
     * @param single whether only the newest update of each client is kept
     */
    void Setup(Ptr<const StalenessPolicy> policy, uint32_t limit, bool single);

    /**
     * @param version a new version, or the newest one again, as after a crash
     * @param model the model
     */
    void Remember(uint32_t version, const ModelVector& model);

    /** @return the newest version's model */
    std::shared_ptr<const ModelVector> GetNewest() const;

    /**
     * What an update would be worth.
     *
     * @param client who made it
     * @param requestId of the request that it answers
     * @param version of the model that it was made from
     * @param next the version that it would be used for
     * @return the update, still without values; nothing when it is too old
     */
    std::optional<ClientUpdate> Assess(LearnerId client,
                                       uint32_t requestId,
                                       uint32_t version,
                                       uint32_t next);

    /**
     * @param update of Assess(), with its values
     * @param late whether it came late
     * @return whether an update that had not come late was thrown away, as only the newest of a
     *         client is kept
     */
    bool Keep(ClientUpdate update, bool late);

    /** @return number of updates */
    size_t GetSize() const { return m_entries.size(); }

    /** @return who made the updates, in the order of arrival */
    std::vector<LearnerId> GetClients() const;

    /**
     * @param client of which only the newest update is kept
     * @return whether it is of the newest version
     */
    bool HoldsNewest(LearnerId client) const;

    /**
     * @return all updates, in the order of the clients, then of arrival: one order for all
     *         networks, so that the sum of the same updates is the same to the last bit
     */
    std::vector<ClientUpdate> Take();

    /** What was made of the updates that were taken last counts from now on. */
    void Settle();

    /**
     * Give up all updates, also those that were taken last, unless Settle() came after that.
     *
     * @return of those that had not come late, how many were still here and how many were taken
     */
    std::pair<uint64_t, uint64_t> Drop();

    /**
     * Forget all models: no update of one of them is used any more. Their versions may come again.
     *
     * @param requestId the number of the next request
     */
    void Forget(uint32_t requestId);

    /** @param totals gets the numbers of updates over the whole run */
    void Count(std::map<std::string, uint64_t>& totals) const;

    /** @return numbers over the whole run */
    const Counters& GetCounters() const { return m_counters; }

  private:
    /** An update and how it came. */
    struct Entry
    {
        ClientUpdate update; //!< what
        bool late;           //!< whether its dispatch had been given up
    };

    Ptr<const StalenessPolicy> m_policy; //!< what an old update is worth
    uint32_t m_limit{0};                 //!< versions that an update's model may be old
    bool m_single{false};                //!< whether only one update of a client is kept
    uint32_t m_oldest{0};                //!< first request whose model is not forgotten
    std::map<uint32_t, std::shared_ptr<const ModelVector>> m_models; //!< newest versions
    std::vector<Entry> m_entries;                                    //!< in the order of arrival
    std::vector<Entry> m_taken; //!< last, until Settle(); without values
    Counters m_counters;        //!< over the whole run
};

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_BUFFER_H
