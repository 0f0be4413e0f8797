/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_DEVICES_H
#define DLEARN_STUDY_DEVICES_H

#include <cstdint>
#include <string>

/**
 * @file
 * What no closed form knows: FedAvg on devices of unequal speed, against simulated time.
 */

namespace ns3
{
namespace dlearn
{

/** What the experiments on unequal devices depend on. */
struct DeviceParameters
{
    bool quick{false};   //!< a shorter simulated time
    uint32_t runs{5};    //!< runs with devices, data and losses of their own
    std::string out;     //!< directory of the results
    std::string program; //!< name of the program, for messages
};

/**
 * Speeds that differ by orders of magnitude, lossy links: rounds with three deadlines, and
 * rounds that wait for all.
 *
 * @param parameters what the user asked for
 * @return whether the price of waiting, and that of not waiting, show
 */
bool RunDeadlineFigure(const DeviceParameters& parameters);

/**
 * One client is ten times slower than the others: rounds in lock-step, FedBuff, FedAsync.
 *
 * @copydetails RunDeadlineFigure()
 */
bool RunStragglerFigure(const DeviceParameters& parameters);

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_STUDY_DEVICES_H
