/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_TEMPLATE_H
#define DLEARN_PAGE_TEMPLATE_H

#include <string_view>

namespace ns3::dlearn
{

/**
 * Files that the build embeds into the library, see cmake/dlearn-embed.cmake.
 */
struct PageTemplate
{
    static const std::string_view MARKUP;         //!< dlearn-page.html
    static const std::string_view STYLE;          //!< dlearn-page.css
    static const std::string_view SCRIPT;         //!< all dlearn-page-*.js
    static const std::string_view CHARTS;         //!< script of the chart library; empty without
    static const std::string_view CHARTS_STYLE;   //!< its style sheet; may be empty
    static const std::string_view CHARTS_LICENSE; //!< its licence; empty without
};

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_TEMPLATE_H
