/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-plot-axis.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/**
 * @param mantissa the factor before the power; left out when it is 1
 * @param exponent of ten
 * @return a tick label with a raised exponent
 */
PlotTick
MakePowerTick(double value, const std::string& mantissa, int exponent)
{
    // Moved up by dy: not every viewer knows baseline-shift.
    const std::string power = std::to_string(exponent);
    const std::string factor = mantissa == "1" ? "" : mantissa + "&#215;";
    return {value,
            factor + "10<tspan dy=\"-0.45em\" font-size=\"80%\">" + power + "</tspan>",
            (factor.empty() ? 0 : mantissa.size() + 1) + 2 + power.size()};
}

/**
 * @param value where
 * @param largest size of the largest value on the axis, which decides the notation
 * @return the tick with its label
 */
PlotTick
MakeTick(double value, double largest)
{
    if (value != 0 && (largest >= 1e6 || largest < 1e-3))
    {
        int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-12));
        return MakePowerTick(value, FormatRounded(value / std::pow(10.0, exponent), 6), exponent);
    }
    auto label = FormatRounded(value, 9);
    const size_t width = label.size();
    return {value, std::move(label), width};
}

/**
 * @param span of an axis, above 0
 * @param target about how many steps the span should have
 * @return 1, 2 or 5 times a power of ten
 */
double
NiceStep(double span, int target)
{
    const double power = std::pow(10.0, std::floor(std::log10(span / target)));
    for (double factor : {1.0, 2.0, 5.0})
    {
        if (factor * power * target >= span * (1 - 1e-9))
        {
            return factor * power;
        }
    }
    return 10 * power;
}

} // namespace

PlotAxis::PlotAxis(double low, double high, Options options)
    : m_log(options.log)
{
    if (m_log)
    {
        LayOutLog(low, high, options);
    }
    else
    {
        LayOutLinear(low, high, options);
    }
}

bool
PlotAxis::CanShow(double value, bool log)
{
    return std::abs(value) <= 1e300 && (!log || value > 0);
}

void
PlotAxis::LayOutLinear(double low, double high, Options options)
{
    if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high)))
    {
        // The axis of a constant extends by half of its value to either side.
        const double room = low == 0 ? 1 : std::abs(low) / 2;
        low -= low == 0 ? 0 : room;
        high += room;
    }
    else if (low > 0 && low <= (options.tight ? 0.05 : 0.5) * high)
    {
        low = 0;
    }
    double step = NiceStep(high - low, 6);
    step = options.whole ? std::max(1.0, step) : step;
    // Multiples of the step, widened by a hair for what binary fractions miss.
    auto first = std::ceil(low / step - 1e-6);
    auto last = std::floor(high / step + 1e-6);
    if (!options.tight)
    {
        first = std::floor(low / step + 1e-6);
        last = std::ceil(high / step - 1e-6);
        low = first * step;
        high = last * step;
    }
    m_low = low;
    m_high = high;
    const double largest = std::max(std::abs(low), std::abs(high));
    for (double k = first; k <= last; ++k)
    {
        m_ticks.push_back(MakeTick(k * step + 0.0, largest)); // + 0: never "-0"
    }
}

void
PlotAxis::LayOutLog(double low, double high, Options options)
{
    m_low = std::log10(low);
    m_high = std::log10(high);
    if (m_high - m_low < 0.1)
    {
        m_low -= 0.3;
        m_high += 0.3;
    }
    // Over few decades the 2 and the 5 have a label too; over many only some powers do.
    const double decades = m_high - m_low;
    const int every = static_cast<int>(std::ceil(decades / 7));
    const bool labelAll = decades < 1.5;
    const double slack = 1e-9;
    if (!options.tight)
    {
        const double down = std::floor(m_low + slack);
        const double up = std::ceil(m_high - slack);
        // Go on to the next power of ten only when it is near.
        m_low = m_low - down < 0.4 ? down : m_low - 0.03 * decades;
        m_high = up - m_high < 0.4 ? up : m_high + 0.03 * decades;
    }
    const int first = static_cast<int>(std::floor(m_low + slack));
    const int last = static_cast<int>(std::floor(m_high + slack));
    for (int exponent = first; exponent <= last; ++exponent)
    {
        for (int digit = 1; digit <= 9; ++digit)
        {
            const double at = exponent + std::log10(digit);
            if (at < m_low - slack || at > m_high + slack || (digit > 1 && decades > 5))
            {
                continue;
            }
            const bool label =
                (digit == 1 && exponent % every == 0) || (labelAll && (digit == 2 || digit == 5));
            const double value = digit * std::pow(10.0, exponent);
            if (!label)
            {
                m_ticks.push_back({value, "", 0});
            }
            else if (labelAll && exponent >= -3 && exponent <= 4)
            {
                m_ticks.push_back(MakeTick(value, 1));
            }
            else
            {
                m_ticks.push_back(MakePowerTick(value, std::to_string(digit), exponent));
            }
        }
    }
}

double
PlotAxis::GetShare(double value) const
{
    if (m_log)
    {
        value = value > 0 ? std::log10(value) : m_low;
    }
    return std::clamp((value - m_low) / (m_high - m_low), -1000.0, 1000.0);
}

size_t
PlotAxis::GetLabelWidth() const
{
    size_t width = 0;
    for (const auto& tick : m_ticks)
    {
        width = std::max(width, tick.width);
    }
    return width;
}

} // namespace ns3::dlearn
