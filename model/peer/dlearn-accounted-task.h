/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ACCOUNTED_TASK_H
#define DLEARN_ACCOUNTED_TASK_H

#include "ns3/dlearn-task.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a privacy account has read from a task when it was set up. The attributes of the task that
 * it follows from must stay, or the account would be below the truth.
 */
class AccountedTask
{
  public:
    /**
     * @param name of the rule, for messages
     * @param task what is learned, with its data
     */
    void Setup(const std::string& name, Ptr<const Task> task);

    /**
     * Call before each gradient. Does nothing before Setup().
     *
     * @throw std::invalid_argument when ClipNorm or Regularization have changed since Setup()
     */
    void Check() const;

  private:
    std::string m_name;         //!< of the rule
    Ptr<const Task> m_task;     //!< null before Setup()
    double m_clipNorm{0};       //!< as of Setup()
    double m_regularization{0}; //!< as of Setup()
};

} // namespace ns3::dlearn

#endif // DLEARN_ACCOUNTED_TASK_H
