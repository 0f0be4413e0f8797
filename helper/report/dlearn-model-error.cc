/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-model-error.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <iomanip>

namespace ns3::dlearn
{

ModelError::ModelError(std::vector<double> theory)
    : m_theory(std::move(theory))
{
}

void
ModelError::Add(uint32_t round, double error)
{
    Require(round >= 1, "ModelError: rounds count from 1, got 0");
    m_errors[round].push_back(error);
}

std::vector<ModelError::Point>
ModelError::GetPoints() const
{
    std::vector<Point> points;
    for (const auto& [round, errors] : m_errors)
    {
        Point point;
        point.round = round;
        point.runs = errors.size();
        const auto runs = static_cast<double>(errors.size());
        for (const double error : errors)
        {
            point.mean += error / runs;
        }
        if (errors.size() >= 2)
        {
            double variance = 0;
            for (const double error : errors)
            {
                variance += (error - point.mean) * (error - point.mean) / (runs - 1);
            }
            point.error = std::sqrt(variance / runs);
        }
        if (round <= m_theory.size())
        {
            point.theory = m_theory[round - 1];
        }
        points.push_back(point);
    }
    return points;
}

bool
ModelError::HasMeans() const
{
    const auto points = GetPoints();
    return std::any_of(points.begin(), points.end(), [](const Point& point) {
        return !std::isnan(point.mean);
    });
}

std::vector<ModelError::Point>
ModelError::FindDeviations() const
{
    std::vector<Point> deviations;
    for (const Point& point : GetPoints())
    {
        const bool enough = point.runs >= 30 && point.error;
        if (!enough || !point.theory || !std::isfinite(*point.theory))
        {
            continue;
        }
        const double limit = 5 * *point.error + 1e-9 * (1 + *point.theory);
        if (!(std::abs(point.mean - *point.theory) <= limit)) // so that NaN is one
        {
            deviations.push_back(point);
        }
    }
    return deviations;
}

std::string
ModelError::MakeCsv() const
{
    std::string csv = "round,mean,stderr,theory,runs\n";
    for (const Point& point : GetPoints())
    {
        csv += std::to_string(point.round) + "," + FormatShortest(point.mean) + "," +
               (point.error ? FormatShortest(*point.error) : "") + "," +
               (point.theory ? FormatShortest(*point.theory) : "") + "," +
               std::to_string(point.runs) + "\n";
    }
    return csv;
}

void
ModelError::Print(std::ostream& out) const
{
    out << "\n  round  runs  model error   std. error       theory  distance\n";
    for (const Point& point : GetPoints())
    {
        out << std::setw(7) << point.round << std::setw(6) << point.runs << std::defaultfloat
            << std::setprecision(6) << std::setw(13) << point.mean;
        out << std::setw(13);
        point.error ? out << *point.error : out << "-";
        out << std::setw(13);
        point.theory ? out << *point.theory : out << "-";
        if (point.theory && std::isfinite(*point.theory) && point.error && *point.error > 0)
        {
            out << std::fixed << std::setprecision(2) << std::setw(10)
                << (point.mean - *point.theory) / *point.error;
        }
        out << "\n";
    }
}

} // namespace ns3::dlearn
