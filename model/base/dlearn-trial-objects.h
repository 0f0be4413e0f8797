/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRIAL_OBJECTS_H
#define DLEARN_TRIAL_OBJECTS_H

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * While one exists, the objects that are created are no part of a simulation: they are there to ask
 * something of their types. So the attributes that they take from a user are not in force.
 */
class TrialObjects
{
  public:
    TrialObjects();
    ~TrialObjects();

    TrialObjects(const TrialObjects&) = delete;
    TrialObjects& operator=(const TrialObjects&) = delete;

    /** @return whether objects that are created now are trials */
    static bool AreCreated();
};

} // namespace ns3::dlearn

#endif // DLEARN_TRIAL_OBJECTS_H
