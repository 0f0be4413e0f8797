/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DATA_TEST_SUPPORT_H
#define DLEARN_DATA_TEST_SUPPORT_H

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace ns3::dlearn
{
namespace test
{

/**
 * @file
 * What the tests of model/data share.
 */

/** A file in the system's folder for temporary files, removed at the end of the scope. */
class TemporaryFile
{
  public:
    /**
     * @param contents its bytes
     * @param compress whether to write them in gzip format
     */
    explicit TemporaryFile(const std::string& contents, bool compress = false)
    {
        static int number = 0;
        const auto folder = std::filesystem::temp_directory_path();
        m_path =
            (folder / ("dlearn-test-" + std::to_string(getpid()) + "-" + std::to_string(++number)))
                .string();
        // zlib's mode "T" writes the bytes as they are.
        gzFile file = gzopen(m_path.c_str(), compress ? "wb" : "wbT");
        const bool written =
            file && (contents.empty() || gzwrite(file, contents.data(), contents.size()) > 0);
        if (!file || gzclose(file) != Z_OK || !written)
        {
            throw std::runtime_error("cannot write " + m_path);
        }
    }

    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    ~TemporaryFile() { std::remove(m_path.c_str()); }

    /** @return where it is */
    const std::string& GetPath() const { return m_path; }

    /** @return its bytes on the disk */
    std::string GetBytes() const
    {
        std::ifstream file(m_path, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::string m_path; //!< where it is
};

/**
 * @param counts how often each of several equally likely outcomes was seen
 * @return Pearson's statistic, nearly chi-squared with counts.size() - 1 degrees of freedom
 */
inline double
ChiSquare(const std::vector<double>& counts)
{
    double total = 0;
    for (const double count : counts)
    {
        total += count;
    }
    const double expected = total / counts.size();
    double statistic = 0;
    for (const double count : counts)
    {
        statistic += (count - expected) * (count - expected) / expected;
    }
    return statistic;
}

/**
 * @param outcomes number of equally likely outcomes
 * @return a bound that a chi-squared variable with outcomes - 1 degrees of freedom exceeds
 *         with probability at most 1e-6 (Laurent and Massart, "Adaptive estimation of a
 *         quadratic functional by model selection", 2000, lemma 1)
 */
inline double
ChiSquareBound(size_t outcomes)
{
    const double freedom = outcomes - 1.0;
    const double x = std::log(1e6);
    return freedom + 2 * std::sqrt(freedom * x) + 2 * x;
}

} // namespace test
} // namespace ns3::dlearn

#endif // DLEARN_DATA_TEST_SUPPORT_H
