/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PLOT_AXIS_H
#define DLEARN_PLOT_AXIS_H

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A labelled position on an axis.
 */
struct PlotTick
{
    double value;      //!< where
    std::string label; //!< markup for an SVG text element; empty for a minor tick
    size_t width;      //!< characters that the label shows
};

/**
 * @ingroup dlearn
 * One axis of a plot: the range it covers, its ticks at 1, 2 and 5 times powers of ten, and
 * the position of a value on it.
 */
class PlotAxis
{
  public:
    /** How an axis is laid out. */
    struct Options
    {
        bool log{false};   //!< logarithmic: only values above 0 can be shown
        bool whole{false}; //!< labels are whole numbers: rounds, counts
        bool tight{false}; //!< end at the data (or at a near 0), not at the next tick
    };

    /**
     * @param low smallest value to show
     * @param high largest value to show; both must be showable (CanShow)
     * @param options the layout
     */
    PlotAxis(double low, double high, Options options);

    /**
     * @param value any value
     * @param log whether the axis is logarithmic
     * @return whether such an axis can show the value: not NaN, infinity or beyond 1e300 in
     *         size, and above 0 on a logarithmic axis
     */
    static bool CanShow(double value, bool log);

    /** @return whether this axis can show a value */
    bool CanShow(double value) const
    {
        return CanShow(value, m_log);
    }

    /**
     * @param value a value
     * @return 0 at the low end to 1 at the high end, and on beyond both, at most 1000 in size;
     *         0 for what a logarithmic axis can not show
     */
    double GetShare(double value) const;

    /** @return the ticks, in increasing order */
    const std::vector<PlotTick>& GetTicks() const
    {
        return m_ticks;
    }

    /** @return characters of the widest label */
    size_t GetLabelWidth() const;

  private:
    void LayOutLinear(double low, double high, Options options);
    void LayOutLog(double low, double high, Options options);

    bool m_log;                    //!< logarithmic
    double m_low{0};               //!< low end; its logarithm when m_log
    double m_high{1};              //!< high end; its logarithm when m_log
    std::vector<PlotTick> m_ticks; //!< in increasing order
};

} // namespace ns3::dlearn

#endif // DLEARN_PLOT_AXIS_H
