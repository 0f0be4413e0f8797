/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page.h"

#include "dlearn-page-template.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ns3::dlearn
{

namespace
{

/** @return JSON that can stand within an element of HTML: nothing in it looks like an end tag */
std::string
DumpForHtml(const PageJson& data)
{
    // Text of a user need not be UTF-8: replace what is not rather than lose the page.
    const std::string text = data.dump(-1, ' ', false, PageJson::error_handler_t::replace);
    std::string safe;
    for (const char c : text)
    {
        safe += c == '<' ? "\\u003c" : std::string(1, c); // only texts have it
    }
    return safe;
}

} // namespace

std::string
MakePage(const PageJson& data)
{
    const std::map<std::string, std::string> texts{
        {"TITLE", EscapeXml(data.value("title", ""))},
        {"STYLE", std::string(PageTemplate::CHARTS_STYLE) + std::string(PageTemplate::STYLE)},
        {"CHARTS", std::string(PageTemplate::CHARTS)},
        {"LICENSE", EscapeXml(std::string(PageTemplate::CHARTS_LICENSE))},
        {"DATA", DumpForHtml(data)},
        {"SCRIPT", std::string(PageTemplate::SCRIPT)}};
    // Each mark is a comment such as <!--TITLE-->; what it is replaced by may contain anything.
    std::string page;
    const std::string_view markup = PageTemplate::MARKUP;
    size_t done = 0;
    for (size_t at = markup.find("<!--"); at != std::string_view::npos;
         at = markup.find("<!--", done))
    {
        const size_t end = markup.find("-->", at);
        const auto text = texts.find(std::string(markup.substr(at + 4, end - at - 4)));
        page += markup.substr(done, at - done);
        page += text == texts.end() ? "" : text->second; // else a comment of the template
        done = end + 3;
    }
    return page + std::string(markup.substr(done));
}

PageJson
MakePlotNumber(double value)
{
    const auto rounded = ParseNumber(FormatRounded(value, 6));
    return rounded && std::isfinite(value) ? PageJson(*rounded) : PageJson();
}

PageJson
MakePageSection(const std::string& title, const std::string& note)
{
    return {{"title", title}, {"note", note}, {"parts", PageJson::array()}};
}

void
AddPart(PageJson& section, PageJson part)
{
    if (!part.is_null())
    {
        section["parts"].push_back(std::move(part));
    }
}

PageJson
MakePageTable(const std::string& title,
              const std::vector<std::string>& columns,
              const std::vector<std::vector<std::string>>& rows,
              bool folded)
{
    if (rows.empty())
    {
        return nullptr;
    }
    // A column that no row has something in tells nothing.
    std::vector<std::string> headings;
    std::vector<std::vector<std::string>> cells(rows.size());
    for (size_t k = 0; k < rows.front().size(); ++k)
    {
        if (std::any_of(rows.begin(), rows.end(), [k](const auto& row) { return !row[k].empty(); }))
        {
            for (size_t row = 0; row < rows.size(); ++row)
            {
                cells[row].push_back(rows[row][k]);
            }
            headings.insert(headings.end(),
                            columns.empty() ? 0 : 1,
                            columns.empty() ? "" : columns[k]);
        }
    }
    return {{"type", "table"},
            {"title", title},
            {"columns", headings},
            {"rows", cells},
            {"folded", folded}};
}

std::string
FormatBytes(double bytes)
{
    static const std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    while (bytes >= 1000 && unit + 1 < units.size())
    {
        bytes /= 1000;
        ++unit;
    }
    return FormatRounded(bytes) + " " + units[unit];
}

std::string
FormatShare(double share)
{
    // Four digits of a share near 1 would hide a few lost messages in thousands.
    return std::isnan(share) ? "-" : FormatRounded(100 * share, share > 0.99 ? 5 : 4) + " %";
}

} // namespace ns3::dlearn
