/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_CHECK_H
#define DLEARN_PAGE_CHECK_H

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dlearn::test
{

using Json = nlohmann::ordered_json;

/** @return how often a text is in another one */
inline size_t
CountOf(const std::string& text, const std::string& part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

/** @return the data of a page, found as a browser finds them: up to the next end tag */
inline Json
ReadPage(const std::string& html)
{
    const std::string begin = "<script type=\"application/json\" id=\"data\">";
    const size_t at = html.find(begin) + begin.size();
    return Json::parse(html.substr(at, html.find("</script", at) - at), nullptr, false);
}

/** @return the parts of a page of a type, of all sections */
inline std::vector<Json>
FindParts(const Json& page, const std::string& type)
{
    std::vector<Json> parts;
    for (const Json& section : page.at("sections"))
    {
        for (const Json& part : section.at("parts"))
        {
            if (part.at("type") == type)
            {
                parts.push_back(part);
            }
        }
    }
    return parts;
}

/** @return the first part of a page whose title begins with a text */
inline Json
FindPart(const Json& page, const std::string& title)
{
    for (const Json& section : page.at("sections"))
    {
        for (const Json& part : section.at("parts"))
        {
            if (part.at("title").get<std::string>().rfind(title, 0) == 0)
            {
                return part;
            }
        }
    }
    ADD_FAILURE() << "no part " << title;
    return {};
}

} // namespace ns3::dlearn::test

#endif // DLEARN_PAGE_CHECK_H
