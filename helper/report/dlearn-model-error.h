/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MODEL_ERROR_H
#define DLEARN_MODEL_ERROR_H

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The model error after each round, over independent runs, and its expected value by theory. Round
 * t here means "after t rounds", so the first is 1.
 */
class ModelError
{
  public:
    /** The error after a round. */
    struct Point
    {
        uint32_t round{0};            //!< rounds done
        uint64_t runs{0};             //!< runs that have a figure
        double mean{0};               //!< over the runs
        std::optional<double> error;  //!< standard error of the mean; nothing for one run
        std::optional<double> theory; //!< expected; nothing where no closed form is known
    };

    /** @param theory expected error after 1, 2, ... rounds; empty where not known */
    explicit ModelError(std::vector<double> theory);

    /** Add the error of a run's model after a number of rounds, from 1. */
    void Add(uint32_t round, double error);

    /** @return all rounds that have a figure, in order */
    std::vector<Point> GetPoints() const;

    /** @return whether there is a round whose mean is known */
    bool HasMeans() const;

    /**
     * Rounds whose mean is further from theory than chance explains: more than 5 standard
     * errors, which in a normal distribution happens with probability 6e-7, and more than the
     * rounding of numbers on the wire, 1e-9 (1 + theory).
     *
     * @return those points; of those with at least 30 runs, since with a few the standard error
     *         itself is too uncertain (of two, one in eight would be found)
     */
    std::vector<Point> FindDeviations() const;

    /** @return `round,mean,stderr,theory,runs`, a line each; a field that is not known is empty */
    std::string MakeCsv() const;

    /** @param out gets the same as a table, with the distance in standard errors */
    void Print(std::ostream& out) const;

  private:
    std::vector<double> m_theory;                     //!< of round k + 1
    std::map<uint32_t, std::vector<double>> m_errors; //!< of each run, by round
};

} // namespace ns3::dlearn

#endif // DLEARN_MODEL_ERROR_H
