/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_XML_CHECK_H
#define DLEARN_XML_CHECK_H

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace test
{

/**
 * Check that a text is well-formed XML, as far as the writers of dlearn can break it: tags
 * nest, attribute values are quoted, every & starts an entity that XML knows without a DTD,
 * and there is no stray < or >. The text of style elements, which HTML does not parse, must
 * hold no < and no & either.
 *
 * @param text the document
 * @return what is wrong first, with its surroundings; empty when nothing is
 */
inline std::string
FindXmlFault(const std::string& text)
{
    auto fault = [&text](const std::string& what, size_t at) {
        return what + " near: " + text.substr(at > 30 ? at - 30 : 0, 80);
    };
    std::vector<std::string> open;
    for (size_t k = 0; k < text.size(); ++k)
    {
        if (text[k] == '&')
        {
            const auto name = text.substr(k + 1, text.find(';', k) - k - 1);
            const std::vector<std::string> known{"amp", "lt", "gt", "quot", "apos"};
            const bool number = name.size() > 1 && name[0] == '#' &&
                                std::all_of(name.begin() + 1, name.end(), [](unsigned char c) {
                                    return std::isdigit(c) != 0;
                                });
            if (!number && std::find(known.begin(), known.end(), name) == known.end())
            {
                return fault("stray &", k);
            }
        }
        else if (text[k] == '>')
        {
            return fault("stray >", k);
        }
        if (text[k] != '<')
        {
            continue;
        }
        const size_t begin = k++;
        size_t quotes = 0;
        for (; k < text.size() && (text[k] != '>' || quotes % 2 == 1); ++k)
        {
            quotes += text[k] == '"' ? 1 : 0;
            if (text[k] == '<')
            {
                return fault("< inside a tag", k);
            }
        }
        const auto tag = text.substr(begin + 1, k - begin - 1);
        const bool unquoted = std::count(tag.begin(), tag.end(), '=') > 0 && quotes == 0;
        if (k == text.size() || tag.empty() || unquoted)
        {
            return fault("broken tag", begin);
        }
        const auto name = tag.substr(0, tag.find_first_of(" \n/", 1));
        if (tag[0] == '/')
        {
            if (open.empty() || "/" + open.back() != tag)
            {
                return fault("<" + tag + "> closes <" + (open.empty() ? "" : open.back()) + ">",
                             begin);
            }
            open.pop_back();
        }
        else if (tag[0] != '!' && tag.back() != '/')
        {
            open.push_back(name);
        }
    }
    return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

/**
 * @param text where to look
 * @param part what for
 * @return how often it occurs
 */
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

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_XML_CHECK_H
