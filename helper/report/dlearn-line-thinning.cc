/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-line-thinning.h"

#include <cmath>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/**
 * Mark the points between two others that a straight line between those would miss by more
 * than a tolerance (Douglas and Peucker, 1973).
 *
 * @param line the points; no gap between the two
 * @param first one end, kept
 * @param last other end, kept
 * @param tolerance in pixels
 * @param keep set to 1 for the points that must stay
 */
void
MarkBends(const std::vector<LinePoint>& line,
          size_t first,
          size_t last,
          double tolerance,
          std::vector<char>& keep)
{
    std::vector<std::pair<size_t, size_t>> spans{{first, last}};
    while (!spans.empty())
    {
        const auto [begin, end] = spans.back();
        spans.pop_back();
        keep[begin] = keep[end] = 1;
        const double x = line[end].x - line[begin].x;
        const double y = line[end].y - line[begin].y;
        const double length = std::hypot(x, y);
        double farthest = tolerance;
        size_t bend = begin;
        for (size_t k = begin + 1; k < end; ++k)
        {
            const double dx = line[k].x - line[begin].x;
            const double dy = line[k].y - line[begin].y;
            const double miss =
                length > 0 ? std::abs(x * dy - y * dx) / length : std::hypot(dx, dy);
            if (miss > farthest)
            {
                farthest = miss;
                bend = k;
            }
        }
        if (bend != begin)
        {
            spans.emplace_back(begin, bend);
            spans.emplace_back(bend, end);
        }
    }
}

} // namespace

std::vector<LinePoint>
ThinLine(const std::vector<LinePoint>& line, size_t budget)
{
    std::vector<LinePoint> kept;
    // From a fifth of a pixel to the size of the whole image.
    for (double tolerance = 0.2; tolerance < 1000; tolerance *= 2)
    {
        std::vector<char> keep(line.size(), 0);
        for (size_t begin = 0; begin < line.size(); ++begin)
        {
            size_t end = begin;
            while (!line[begin].gap && end + 1 < line.size() && !line[end + 1].gap)
            {
                ++end;
            }
            MarkBends(line, begin, end, tolerance, keep);
            begin = end;
        }
        kept.clear();
        for (size_t k = 0; k < line.size(); ++k)
        {
            const bool repeatedGap = line[k].gap && k > 0 && line[k - 1].gap;
            if (keep[k] && !repeatedGap)
            {
                kept.push_back(line[k]);
            }
        }
        if (kept.size() <= budget)
        {
            break;
        }
    }
    return kept;
}

} // namespace ns3::dlearn
