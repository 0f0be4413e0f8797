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

/**
 * @ingroup dlearn
 * How the device of one learner differs from the others; a property that is absent is the same as
 * for all learners.
 */
struct DeviceProfile
{
    LinkOptions link;                         //!< its access link
    std::optional<double> flops;              //!< floating-point operations a second, at least 1
    std::optional<double> battery;            //!< joules that it holds, at least 1e-9
    std::optional<double> joulesPerOperation; //!< of computing, [0, 1)
};

/**
 * @ingroup dlearn
 * Distribution of each property over the devices, as text; empty: none, the common value.
 *
 * A text is a value, which all devices get, or one of
 *
 *     uniform:LOW:HIGH          LOW <= HIGH; draws are at least LOW and, unless equal, below HIGH
 *     lognormal:MEDIAN:SIGMA    SIGMA at least 0, standard deviation of the natural logarithm
 *     exponential:MEAN
 *
 * with the unit of the property in every value but SIGMA: `uniform:1Mbps:10Mbps`,
 * `lognormal:20ms:0.5`. A loss has no unit and can not be lognormal or exponential, as these
 * have no upper limit. The same is true of joules per operation.
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

/**
 * @ingroup dlearn
 * Makes devices unequal: profiles drawn at random or read from a file.
 *
 * Learner 0 is the server and is not drawn or read; the clients are learners 1 to m. A result
 * has an entry for each learner, so m + 1; that of the server is empty.
 */
class DeviceProfiles
{
  public:
    /**
     * Draw profiles. Each property has a separate random stream, so that one can be added,
     * removed or changed and the draws of the others stay; client k gets draw k, however many
     * clients there are.
     *
     * @param distributions of each property
     * @param clients number of clients
     * @param stream first of six random streams; negative for automatic streams
     * @return profile of each learner
     * @throw std::invalid_argument naming the property, the text and the rule; and, for the very
     *        improbable draw out of range (a rate below 1 bit/s), the client
     */
    static std::vector<DeviceProfile> Draw(const DeviceDistributions& distributions,
                                           uint32_t clients,
                                           int64_t stream);

    /**
     * Read profiles from a text of comma-separated values, plain or in gzip format. Its first
     * line names the columns: `client` and any of `rate`, `delay`, `loss`, `flops`, `battery` and
     * `joules-per-operation`, in any order. Every other line is about one client, by number, in any
     * order; who is not in it, and whose cell is blank, has the common value. Empty lines are
     * skipped.
     *
     * @param path the file
     * @param clients number of clients
     * @return profile of each learner
     * @throw std::runtime_error when the file can not be read
     * @throw std::invalid_argument naming file, line, column and rule for anything that is wrong
     */
    static std::vector<DeviceProfile> Read(const std::string& path, uint32_t clients);

    /**
     * @param profiles of each learner
     * @return their links, for NetworkOptions::links
     */
    static std::vector<LinkOptions> GetLinks(const std::vector<DeviceProfile>& profiles);
};

} // namespace ns3::dlearn

#endif // DLEARN_DEVICE_PROFILES_H
