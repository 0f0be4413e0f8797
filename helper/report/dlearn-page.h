/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_H
#define DLEARN_PAGE_H

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** What a page shows; its script draws it. The same data make the same bytes. */
using PageJson = nlohmann::ordered_json;

/**
 * A page that a browser opens from disk, without any other file and without a network: the
 * template of this folder (dlearn-page.html, .css and the scripts) with the data in it.
 *
 * `title`, `subtitle`, `sentence`, `command`, `tiles`, `warnings`, `sections` are the members of
 * the data; a section has a `title`, a `note` and `parts`, each of a `type` that the scripts know.
 *
 * @param data of the page
 * @return the page
 */
std::string MakePage(const PageJson& data);

/**
 * @param value any number
 * @return it for a drawing: six significant digits, null unless it is finite
 */
PageJson MakePlotNumber(double value);

/**
 * @param title of the section
 * @param note how to read it; may be empty
 * @return a section without parts
 */
PageJson MakePageSection(const std::string& title, const std::string& note = "");

/**
 * @param section gets the part, unless it is null
 * @param part of a page
 */
void AddPart(PageJson& section, PageJson part);

/**
 * A table for people, in a section of its own or with others.
 *
 * @param title of the table
 * @param columns their headings; none for a table of names and values
 * @param rows cells by row
 * @param folded whether only its title is shown until it is clicked
 * @return the part, without columns that are empty in all rows; null when there are no rows
 */
PageJson MakePageTable(const std::string& title,
                       const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows,
                       bool folded = false);

/**
 * @param bytes a number of bytes
 * @return it for people: 12.3 MB
 */
std::string FormatBytes(double bytes);

/**
 * @param share from 0 to 1
 * @return it in percent; `-` for NaN
 */
std::string FormatShare(double share);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_H
