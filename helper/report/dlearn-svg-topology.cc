/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-svg-topology.h"

#include "dlearn-svg-style.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ns3::dlearn
{

namespace
{

using Positions = std::vector<std::pair<double, double>>;

constexpr double WIDTH = 640;       //!< of the image, pixels
constexpr double MARGIN = 26;       //!< around the nodes, pixels
constexpr double HEIGHT_MAX = 430;  //!< of the area of the nodes, pixels
constexpr size_t EDGE_LIMIT = 4000; //!< edges to draw at most

/**
 * @param positions of the learners, or empty
 * @param count number of learners
 * @return whether every learner has a position that can be drawn
 */
bool
IsComplete(const Positions& positions, size_t count)
{
    return positions.size() == count &&
           std::all_of(positions.begin(), positions.end(), [](const auto& at) {
               return std::abs(at.first) < 1e12 && std::abs(at.second) < 1e12;
           });
}

/**
 * @param nodes the learners
 * @return positions on a circle, a sole server in its centre
 */
Positions
PlaceOnCircle(const std::vector<TopologyNode>& nodes)
{
    const auto isServer = [](const TopologyNode& node) { return node.role == "server"; };
    const bool star = std::count_if(nodes.begin(), nodes.end(), isServer) == 1;
    const double around = static_cast<double>(nodes.size()) - (star ? 1 : 0);
    Positions positions;
    double turn = 0;
    for (const auto& node : nodes)
    {
        if (star && isServer(node))
        {
            positions.emplace_back(0, 0);
            continue;
        }
        const double angle = 2 * M_PI * turn++ / around;
        positions.emplace_back(std::sin(angle), std::cos(angle)); // first one on top
    }
    return positions;
}

/**
 * @param positions in any unit, y upwards
 * @param top of the area for the nodes, pixels
 * @param height of that area, set to what is needed
 * @return positions in pixels, with the same scale in both directions
 */
Positions
FitToImage(const Positions& positions, double top, double& height)
{
    auto [left, right] =
        std::minmax_element(positions.begin(), positions.end(), [](const auto& a, const auto& b) {
            return a.first < b.first;
        });
    auto [low, high] =
        std::minmax_element(positions.begin(), positions.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    const double wide = right->first - left->first;
    const double tall = high->second - low->second;
    const double roomX = WIDTH - 2 * MARGIN;
    const double roomY = HEIGHT_MAX - 2 * MARGIN;
    double scale = std::min(wide > 0 ? roomX / wide : INFINITY, tall > 0 ? roomY / tall : INFINITY);
    scale = std::isfinite(scale) ? scale : 1; // all in one place
    height = tall * scale + 2 * MARGIN;
    const double shift = (WIDTH - wide * scale) / 2;
    Positions pixels;
    for (const auto& [x, y] : positions)
    {
        pixels.emplace_back(shift + (x - left->first) * scale,
                            top + MARGIN + (high->second - y) * scale);
    }
    return pixels;
}

/**
 * @param at pixels
 * @return the point as path data
 */
std::string
Point(const std::pair<double, double>& at)
{
    return FormatCoordinate(at.first) + " " + FormatCoordinate(at.second);
}

/**
 * @param from sender, pixels
 * @param to receiver, pixels
 * @param radius of the receiver's circle
 * @return path data of an arrow head that touches the receiver
 */
std::string
ArrowHead(const std::pair<double, double>& from, const std::pair<double, double>& to, double radius)
{
    const double length = std::hypot(to.first - from.first, to.second - from.second);
    if (length <= 2 * radius)
    {
        return "";
    }
    const double x = (to.first - from.first) / length;
    const double y = (to.second - from.second) / length;
    auto at = [&](double back, double side) {
        return Point({to.first - x * back - y * side, to.second - y * back + x * side});
    };
    return "M" + at(radius, 0) + "L" + at(radius + 8, 3.5) + "L" + at(radius + 8, -3.5) + "z";
}

/**
 * @param graph the graph
 * @param pixels positions of the nodes
 * @param radius of a node
 * @param svg where to append the edges
 * @return how many pairs are drawn
 */
size_t
DrawEdges(const Graph& graph, const Positions& pixels, double radius, std::string& svg)
{
    const auto pairs = graph.GetPairs();
    const size_t drawn = std::min(pairs.size(), EDGE_LIMIT);
    std::string lines;
    std::string arrows;
    for (size_t k = 0; k < drawn; ++k)
    {
        const auto& [a, b] = pairs[k * pairs.size() / drawn];
        lines += "M" + Point(pixels[a]) + "L" + Point(pixels[b]);
        const bool toA = graph.GetWeight(a, b) != 0;
        const bool toB = graph.GetWeight(b, a) != 0;
        if (toA != toB)
        {
            arrows += toA ? ArrowHead(pixels[b], pixels[a], radius)
                          : ArrowHead(pixels[a], pixels[b], radius);
        }
    }
    // Many lines would melt into one dark blot.
    const double opacity = std::clamp(300.0 / static_cast<double>(drawn + 1), 0.15, 1.0);
    svg += "<path class=\"edge\" stroke-opacity=\"" + FormatRounded(opacity, 2) + "\" d=\"" +
           lines + "\"/><path class=\"arrow\" d=\"" + arrows + "\"/>\n";
    return drawn;
}

/**
 * @param nodes the learners
 * @return slot of the palette of each role
 */
std::map<std::string, int>
ColorRoles(const std::vector<TopologyNode>& nodes)
{
    // The usual roles keep their colours from report to report.
    std::map<std::string, int> slots{{"peer", 0}, {"server", 1}, {"client", 2}};
    std::set<std::string> roles;
    for (const auto& node : nodes)
    {
        roles.insert(node.role);
    }
    int next = 3;
    for (const auto& role : roles)
    {
        next += slots.emplace(role, next % SVG_COLORS).second ? 1 : 0;
    }
    for (auto slot = slots.begin(); slot != slots.end();)
    {
        slot = roles.count(slot->first) == 0 ? slots.erase(slot) : std::next(slot);
    }
    return slots;
}

/**
 * @param slots colour of each role
 * @param stopped whether a node is marked as stopped
 * @return the legend
 */
SvgLegend
MakeLegend(const std::map<std::string, int>& slots, bool stopped)
{
    SvgLegend legend;
    for (const auto& [role, slot] : slots)
    {
        legend.entries.push_back(
            {role, "<circle class=\"f" + std::to_string(slot) + "\" cx=\"9\" cy=\"0\" r=\"6\"/>"});
    }
    if (stopped)
    {
        legend.entries.push_back({"hollow: closed fewer rounds than others",
                                  "<circle class=\"off c7\" cx=\"9\" cy=\"0\" r=\"6\"/>"});
    }
    return legend;
}

/**
 * @param nodes the learners
 * @param pixels their positions
 * @param slots colour of each role
 * @param radius of a node, pixels
 * @param svg where to append the nodes
 */
void
DrawNodes(const std::vector<TopologyNode>& nodes,
          const Positions& pixels,
          const std::map<std::string, int>& slots,
          double radius,
          std::string& svg)
{
    for (size_t k = 0; k < nodes.size(); ++k)
    {
        const auto& node = nodes[k];
        const std::string slot = std::to_string(slots.at(node.role));
        const std::string name = node.stopped ? "off c" + slot : "m f" + slot;
        const std::string x = FormatCoordinate(pixels[k].first);
        const std::string y = FormatCoordinate(pixels[k].second);
        svg += "<g><title>" + EscapeXml(node.tip) + "</title><circle class=\"" + name + "\" cx=\"" +
               x + "\" cy=\"" + y + "\" r=\"" + FormatCoordinate(radius) + "\"/>";
        if (radius > 9)
        {
            const std::string text = node.stopped ? "n" : "id";
            svg += "<text class=\"" + text + "\" font-size=\"10\" x=\"" + x + "\" y=\"" +
                   FormatCoordinate(pixels[k].second + 3.5) + "\" text-anchor=\"middle\">" +
                   std::to_string(k) + "</text>";
        }
        svg += "</g>\n";
    }
}

} // namespace

std::string
DrawTopology(const Graph& graph,
             const Positions& positions,
             const std::vector<TopologyNode>& nodes,
             bool withStyle)
{
    RequireSize("DrawTopology", "nodes", nodes.size(), graph.GetSize());
    const auto slots = ColorRoles(nodes);
    const bool stopped =
        std::any_of(nodes.begin(), nodes.end(), [](const auto& node) { return node.stopped; });
    std::string body;
    const double top = 38 + MakeLegend(slots, stopped).Draw(WIDTH - 40, 20, 44, body);
    const bool given = IsComplete(positions, nodes.size());
    const bool known = given || IsComplete(graph.positions, nodes.size());
    double height = 0;
    const auto pixels = FitToImage(given   ? positions
                                   : known ? graph.positions
                                           : PlaceOnCircle(nodes),
                                   top,
                                   height);
    const double radius = nodes.size() <= 40 ? 11 : nodes.size() <= 120 ? 7 : 4.5;
    const size_t drawn = DrawEdges(graph, pixels, radius, body);
    DrawNodes(nodes, pixels, slots, radius, body);
    const size_t pairs = graph.GetPairs().size();
    std::string title = "Topology: " + std::to_string(nodes.size()) + " learners, " +
                        std::to_string(pairs) + " links";
    title += drawn < pairs ? " (" + std::to_string(drawn) + " drawn)" : "";
    title += known ? "" : ", drawn on a circle";
    const std::string tall = FormatCoordinate(top + height + 8);
    return "<svg class=\"dl-plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 " + tall +
           "\" width=\"640\" height=\"" + tall + "\" role=\"img\" aria-label=\"" + title + "\">\n" +
           (withStyle ? "<style>" + GetSvgStyle() + "</style>\n" : "") +
           "<rect class=\"bg\" width=\"100%\" height=\"100%\"/><text class=\"t\" x=\"20\" "
           "y=\"24\">" +
           title + "</text>\n" + body + "</svg>\n";
}

} // namespace ns3::dlearn
