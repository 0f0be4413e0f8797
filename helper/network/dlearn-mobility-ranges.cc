/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-mobility-ranges.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** What an attribute of a mobility model may be, so that a run goes on. */
struct AttributeRange
{
    std::string name; //!< of the attribute
    double least;     //!< of a value or of all that is drawn, in its unit
    double most;      //!< likewise
};

/**
 * Learners that move so take between a microsecond and 31 years from one event to the next, in
 * squares of up to 1,000 km.
 */
const std::vector<AttributeRange> RANGES{{"Speed", 1e-3, 1e4},
                                         {"MeanVelocity", 0, 1e4},
                                         {"Pause", 0, 1e9},
                                         {"Time", 1e-6, 1e9},
                                         {"TimeStep", 1e-6, 1e9},
                                         {"Distance", 1e-2, 1e9},
                                         {"Alpha", 0, 1}};

constexpr uint32_t DRAWS = 1000;           //!< of a random attribute, to see what it is like
constexpr int64_t DRAW_STREAM = 1LL << 31; //!< of these

/** @return the values of an attribute that is a number, a time or random; none of another */
std::vector<double>
GetValues(const Ptr<MobilityModel>& model, const std::string& attribute)
{
    DoubleValue number;
    TimeValue time;
    PointerValue pointer;
    if (model->GetAttributeFailSafe(attribute, number))
    {
        return {number.Get()};
    }
    if (model->GetAttributeFailSafe(attribute, time))
    {
        return {static_cast<double>(time.Get().GetNanoSeconds()) / 1e9}; // 1e-6 for a microsecond
    }
    const bool has = model->GetAttributeFailSafe(attribute, pointer);
    const auto random = has ? pointer.Get<RandomVariableStream>() : nullptr;
    std::vector<double> values;
    if (random)
    {
        const int64_t own = random->GetStream();
        random->SetStream(DRAW_STREAM);
        std::generate_n(std::back_inserter(values), DRAWS, [&] { return random->GetValue(); });
        random->SetStream(own);
    }
    return values;
}

} // namespace

void
CheckMobilityModel(const std::string& what, const Ptr<MobilityModel>& model)
{
    for (const AttributeRange& range : RANGES)
    {
        for (const double value : GetValues(model, range.name))
        {
            Require(value >= range.least && value <= range.most,
                    what,
                    ": ",
                    range.name,
                    " must be from ",
                    range.least,
                    " to ",
                    range.most,
                    ", got ",
                    value);
        }
    }
}

} // namespace ns3::dlearn
