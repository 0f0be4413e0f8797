/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-synchrony-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-quantity-parser.h"

namespace ns3::dlearn
{

SynchronyOption::SynchronyOption(const std::string& text)
{
    const std::string prefix = "async:";
    const bool timed = text.rfind(prefix, 0) == 0;
    Require(text == "rounds" || text == "async" || timed,
            "synchrony must be rounds, async or async:PERIOD, got '",
            text,
            "'");
    m_asynchronous = text != "rounds";
    if (timed)
    {
        m_period = ParseTime("synchrony: period of '" + text + "'", text.substr(prefix.size()));
        Require(m_period.IsStrictlyPositive(),
                "synchrony: period must be greater than 0, got '",
                text,
                "'");
    }
}

void
SynchronyOption::Validate(const ScenarioOptions& options, const std::string& missing) const
{
    Require(!m_asynchronous || options.deadline.empty(),
            "synchrony async and deadline exclude each other");
    Require(!m_asynchronous || options.quorum == 1,
            "synchrony async and quorum exclude each other");
    Require(!m_asynchronous || missing != "wait",
            "synchrony async and missing wait exclude each other");
}

bool
SynchronyOption::IsAsynchronous() const
{
    return m_asynchronous;
}

void
SynchronyOption::Apply(RoundPolicy& policy) const
{
    if (m_asynchronous)
    {
        policy.SetAttribute("Period", TimeValue(m_period));
    }
}

} // namespace ns3::dlearn
