/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_TEXT_H
#define DLEARN_PAGE_TEXT_H

#include "dlearn-page.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @param section of a page
 * @return its tables and its note for a terminal: each table has a title, headings and a line for
 *         each row, whose cells stand under one another
 */
std::string MakeSectionText(const PageJson& section);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_TEXT_H
