/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DEVICE_PROFILES_H
#define DLEARN_DEVICE_PROFILES_H

#include "ns3/dlearn-network.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/** Properties of the device of one learner; absent: the common value. @ingroup dlearn */
struct DeviceProfile
{
    LinkOptions link;                         //!< its access link
    std::optional<double> flops;              //!< floating-point operations a second, at least 1
    std::optional<double> battery;            //!< joules, at least 1e-9
    std::optional<double> joulesPerOperation; //!< of computing, [0, 1)
    std::optional<Time> sampleTime;           //!< of the gradient of a sample, in place of flops
};

/**
 * @ingroup dlearn
 * Distribution of each property over the devices, as text; empty: none, the common value.
 *
 * A text is a value for all devices, or one of
 *
 *     uniform:LOW:HIGH          LOW <= HIGH; draws are at least LOW and, unless equal, below HIGH
 *     lognormal:MEDIAN:SIGMA    SIGMA at least 0, standard deviation of the natural logarithm
 *     exponential:MEAN
 *
 * with the unit of the property in every value but SIGMA: `uniform:1Mbps:10Mbps`,
 * `lognormal:20ms:0.5`. Loss and joules per operation do not have a unit, and cannot be lognormal
 * or exponential, which have no upper limit.
 */
struct DeviceDistributions
{
    std::string rate;      //!< of the link, at least 1bps (unit as ParseDataRate)
    std::string delay;     //!< of the link, at least 0 (unit as ParseTime)
    std::string loss;      //!< of the link, [0, 1)
    std::string flops;     //!< floating-point operations a second, at least 1, without unit
    std::string battery{}; //!< joules, at least 1e-9, without unit
    std::string joulesPerOperation{}; //!< [0, 1), without unit
};

/** The owners of the devices, which give learners their numbers and names. @ingroup dlearn */
enum class DeviceOwners
{
    CLIENTS, //!< 1 to m; learner 0 is the server, whose profile is empty
    PEERS    //!< 0 to m - 1
};

/** Makes devices unequal: profiles drawn at random or read from a file. A result has an entry for
 *  each learner, of a federation also for the server. @ingroup dlearn */
class DeviceProfiles
{
  public:
    /**
     * Draw profiles in the order of the learners. Each property has a separate random stream, so
     * that a change of one property does not change the draws of the others.
     *
     * @param distributions of each property
     * @param number m of clients or peers
     * @param stream first of six random streams; negative for automatic streams
     * @param owners of the devices
     * @return profile of each learner
     * @throw std::invalid_argument naming the property, the text and the rule; and, for a draw out
     *        of range (such as a rate below 1 bit/s), the learner
     */
    static std::vector<DeviceProfile> Draw(const DeviceDistributions& distributions,
                                           uint32_t number,
                                           int64_t stream,
                                           DeviceOwners owners = DeviceOwners::CLIENTS);

    /**
     * Read profiles from comma-separated values, plain or in gzip format. The first line names the
     * columns: `client` or, for peers, `learner`, and any of `rate`, `delay`, `loss`, `flops`,
     * `battery`, `joules-per-operation` and `sample-time`, in any order. Each further line has the
     * number of a learner, in any order. A blank cell, or no line, means the common value; at least
     * one cell has a value. Empty lines are skipped.
     *
     * @param path the file
     * @param number m of clients or peers
     * @param owners of the devices
     * @return profile of each learner
     * @throw std::runtime_error when the file cannot be read
     * @throw std::invalid_argument naming file, line, column and rule for a mistake
     */
    static std::vector<DeviceProfile> Read(const std::string& path,
                                           uint32_t number,
                                           DeviceOwners owners = DeviceOwners::CLIENTS);

    /**
     * @param profiles of each learner
     * @return their links, for NetworkSetup::links; empty when no link differs
     */
    static std::vector<LinkOptions> GetLinks(const std::vector<DeviceProfile>& profiles);
};

} // namespace ns3::dlearn

#endif // DLEARN_DEVICE_PROFILES_H
