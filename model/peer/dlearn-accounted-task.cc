/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-accounted-task.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

void
AccountedTask::Setup(const std::string& name, Ptr<const Task> task)
{
    m_name = name;
    m_task = task;
    m_clipNorm = task->GetClipNorm();
    m_regularization = task->GetRegularization();
}

void
AccountedTask::Check() const
{
    if (!m_task)
    {
        return;
    }
    const auto requireSame = [this](const char* attribute, double initial, double now) {
        Require(now == initial,
                m_name,
                ": ",
                attribute,
                " of the task must stay the ",
                initial,
                " that the privacy account counts on, got ",
                now);
    };
    requireSame("ClipNorm", m_clipNorm, m_task->GetClipNorm());
    requireSame("Regularization", m_regularization, m_task->GetRegularization());
}

} // namespace ns3::dlearn
