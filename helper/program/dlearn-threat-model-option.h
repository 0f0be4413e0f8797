/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_THREAT_MODEL_OPTION_H
#define DLEARN_THREAT_MODEL_OPTION_H

#include "ns3/dlearn-threat-model.h"

#include <string>

namespace ns3::dlearn
{

/** @return the help of --threat-model, without its value `none` */
std::string GetThreatModelHelp();

/** @return what --view means, for --help */
std::string GetViewHelp();

/**
 * Which parties the workers of CafCor do not trust, as a user of a program writes it.
 *
 * @param name of --threat-model: cdp (CentralDp), ldp (LocalDp), secldp (SecretLocalDp) or byzldp
 *        (ByzantineLocalDp)
 * @param view of --view: transcript; or lemma, where secldp and byzldp are those of the paper's
 *        figures (LemmaLocalDp). The others are the same in both
 * @param byzantine f, all of which collude in byzldp
 * @param colluding q, the Byzantine workers that collude in secldp
 * @return the threat model
 * @throw std::invalid_argument naming the option, its value and what it may be
 */
Ptr<const ThreatModel> ParseThreatModel(const std::string& name,
                                        const std::string& view,
                                        uint32_t byzantine,
                                        uint32_t colluding = 0);

} // namespace ns3::dlearn

#endif // DLEARN_THREAT_MODEL_OPTION_H
