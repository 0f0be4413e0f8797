/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BENCHMARK_ROW_H
#define DLEARN_BENCHMARK_ROW_H

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a benchmark measured of one piece of work, and of a reference beside it in the same run. A
 * benchmark prints such rows, which test/benchmark/run.sh makes a table of.
 *
 * Ratios are those of times, so that less is better. Each of them is of two measurements that
 * followed each other, because a machine whose speed drifts slows both.
 */
class BenchmarkRow
{
  public:
    /**
     * @param name of the work
     * @param unit of its values
     * @param reference what it is compared with; empty for nothing
     */
    BenchmarkRow(std::string name, std::string unit, std::string reference = "")
        : m_name(std::move(name)),
          m_unit(std::move(unit)),
          m_reference(std::move(reference))
    {
    }

    /** @param wanted the largest ratio that is good */
    void SetWanted(double wanted) { m_wanted = wanted; }

    /** @param value measured */
    void Add(double value) { m_values.push_back(value); }

    /**
     * @param value measured
     * @param ratio of its time to that of the reference
     */
    void Add(double value, double ratio)
    {
        m_values.push_back(value);
        m_ratios.push_back(ratio);
    }

    /** Print names of the columns. */
    static void PrintHeader()
    {
        std::printf("case,unit,median,low,high,reference,ratio,ratio_low,ratio_high,wanted\n");
    }

    /** Print a line: medians, and the range of the measurements. */
    void Print() const
    {
        std::printf("%s,%s,%s,%s,%s,%s\n",
                    m_name.c_str(),
                    m_unit.c_str(),
                    Describe(m_values).c_str(),
                    m_reference.c_str(),
                    Describe(m_ratios).c_str(),
                    m_wanted > 0 ? Format(m_wanted).c_str() : "");
        std::fflush(stdout);
    }

  private:
    /** @return a number with four digits */
    static std::string Format(double value)
    {
        char text[32];
        std::snprintf(text, sizeof(text), "%.4g", value);
        return text;
    }

    /** @return median, least and largest, as three fields */
    static std::string Describe(std::vector<double> values)
    {
        if (values.empty())
        {
            return ",,";
        }
        std::sort(values.begin(), values.end());
        return Format(values[values.size() / 2]) + "," + Format(values.front()) + "," +
               Format(values.back());
    }

    std::string m_name;           //!< of the work
    std::string m_unit;           //!< of the values
    std::string m_reference;      //!< what it is compared with
    std::vector<double> m_values; //!< measured
    std::vector<double> m_ratios; //!< of the times; empty without a reference
    double m_wanted{0};           //!< see SetWanted(); 0: nothing is said
};

} // namespace ns3::dlearn

#endif // DLEARN_BENCHMARK_ROW_H
