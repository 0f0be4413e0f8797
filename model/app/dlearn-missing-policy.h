/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MISSING_POLICY_H
#define DLEARN_MISSING_POLICY_H

#include "ns3/dlearn-message.h"
#include "ns3/object.h"

#include <map>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What it means that a neighbour's message is missing when a round wants to close.
 */
class MissingPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return whether a round may close while a neighbour that is alive is missing */
    virtual bool MayClose() const { return true; }

    /** @return whether vectors of other rounds stand in for missing ones; no unless overridden */
    virtual bool HasStandIns() const { return false; }

    /**
     * Called with every complete vector, on time or late.
     * @param source sender and channel
     * @param arrival the vector
     */
    virtual void Remember(const std::pair<LearnerId, ModelChannel>& source, const Arrival& arrival);

    /**
     * @param source sender and channel of a missing message
     * @return what the update rule gets instead; null for nothing
     */
    virtual const Arrival* GetStandIn(const std::pair<LearnerId, ModelChannel>& source) const;
};

/**
 * @ingroup dlearn
 * The round goes on without the missing message.
 */
class SkipMissing : public MissingPolicy
{
  public:
    static TypeId GetTypeId();
};

/**
 * @ingroup dlearn
 * The newest vector ever received from that neighbour stands in, however old.
 */
class LastReceived : public MissingPolicy
{
  public:
    static TypeId GetTypeId();

    bool HasStandIns() const override { return true; }

    void Remember(const std::pair<LearnerId, ModelChannel>& source,
                  const Arrival& arrival) override;
    const Arrival* GetStandIn(const std::pair<LearnerId, ModelChannel>& source) const override;

  private:
    std::map<std::pair<LearnerId, ModelChannel>, Arrival> m_last; //!< newest of each source
};

/**
 * @ingroup dlearn
 * The round stays open, past deadline and quorum, until the message has arrived, its sender is
 * suspected, or the learner's ResponseTimeout has passed.
 */
class WaitForMissing : public MissingPolicy
{
  public:
    static TypeId GetTypeId();

    bool MayClose() const override { return false; }
};

} // namespace ns3::dlearn

#endif // DLEARN_MISSING_POLICY_H
