/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-svg-style.h"

#include "ns3/dlearn-text-format.h"

#include <array>

namespace ns3::dlearn
{

namespace
{

/** Colours on a light page: Okabe and Ito's, the pale ones darkened to stand out on white. */
const std::array<const char*, SVG_COLORS> LIGHT{
    "#0072b2", // blue
    "#d55e00", // vermilion
    "#009e73", // green
    "#b0559b", // purple
    "#c98500", // orange
    "#42a5df", // sky blue
    "#8c510a", // brown
    "#5f6672", // grey
};

/** The same colours on a dark page, lightened. */
const std::array<const char*, SVG_COLORS> DARK{
    "#3d9bdc",
    "#f07f35",
    "#2fbf94",
    "#d68cc4",
    "#e6b04a",
    "#8bcaf2",
    "#c79a63",
    "#a7afbb",
};

/**
 * @param colors of the palette
 * @return a fill and a stroke rule for each
 */
std::string
ColorRules(const std::array<const char*, SVG_COLORS>& colors)
{
    std::string rules;
    for (int slot = 0; slot < SVG_COLORS; ++slot)
    {
        const std::string number = std::to_string(slot);
        rules += ".dl-plot .f" + number + "{fill:" + colors[slot] + "}.dl-plot .c" + number +
                 "{stroke:" + colors[slot] + "}\n";
    }
    return rules;
}

} // namespace

const std::string&
GetSvgStyle()
{
    static const std::string style =
        ".dl-plot{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\","
        "sans-serif;font-size:12px}\n"
        ".dl-plot .bg{fill:#ffffff}.dl-plot text{fill:#5a6270}.dl-plot .n{fill:#333a45}\n"
        ".dl-plot .t{fill:#1b2028;font-size:15px;font-weight:600}\n"
        ".dl-plot .id{fill:#ffffff;font-size:10px;font-weight:600}\n"
        ".dl-plot .grid{stroke:#e3e6ea;fill:none}.dl-plot .minor{stroke:#f2f3f5;fill:none}\n"
        ".dl-plot .axis{stroke:#9aa1ac;fill:none}.dl-plot .edge{stroke:#b7bec8;fill:none}\n"
        ".dl-plot .arrow{fill:#8a929e}\n"
        ".dl-plot .l{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\n"
        ".dl-plot .d{stroke-dasharray:7 5}.dl-plot .thin{stroke-width:1;stroke-opacity:0.45}\n"
        ".dl-plot .e{fill:none;stroke-width:1.3}.dl-plot .band{fill-opacity:0.17}\n"
        ".dl-plot .area{fill-opacity:0.85}.dl-plot .m{stroke:#ffffff;stroke-width:0.8}\n"
        ".dl-plot .off{fill:#ffffff;stroke-width:2;stroke-dasharray:3 2}\n" +
        ColorRules(LIGHT) +
        "@media (prefers-color-scheme:dark){\n"
        ".dl-plot .bg{fill:#1c2027}.dl-plot text{fill:#a5adb9}.dl-plot .n{fill:#cdd3dc}\n"
        ".dl-plot .t{fill:#eef1f5}.dl-plot .id{fill:#12151a}\n"
        ".dl-plot .grid{stroke:#2f353f}.dl-plot .minor{stroke:#252a32}\n"
        ".dl-plot .axis{stroke:#6b7482}.dl-plot .edge{stroke:#4b5360}\n"
        ".dl-plot .arrow{fill:#7d8693}.dl-plot .m{stroke:#1c2027}.dl-plot .off{fill:#1c2027}\n" +
        ColorRules(DARK) + "}\n";
    return style;
}

std::string
FormatPoint(double x, double y)
{
    return FormatCoordinate(x) + " " + FormatCoordinate(y);
}

double
SvgLegend::Draw(double width, double x, double y, std::string& svg) const
{
    const double row = 19;
    double offset = 0;
    double down = 0;
    for (const auto& entry : entries)
    {
        // Of a text only the number of characters is known here: 6.5 pixels each is wide for
        // most fonts.
        const double room = 24 + 6.5 * static_cast<double>(entry.name.size()) + 14;
        if (offset > 0 && offset + room > width)
        {
            offset = 0;
            down += row;
        }
        svg += "<g transform=\"translate(" + FormatCoordinate(x + offset) + " " +
               FormatCoordinate(y + down) + ")\">" + entry.swatch +
               "<text class=\"n\" x=\"24\" y=\"4\">" + EscapeXml(entry.name) + "</text></g>\n";
        offset += room;
    }
    return entries.empty() ? 0 : down + row;
}

} // namespace ns3::dlearn
