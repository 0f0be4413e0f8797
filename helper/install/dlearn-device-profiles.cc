/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-device-profiles.h"

#include "dlearn-battery.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ns3::dlearn
{

namespace
{

constexpr double NO_LIMIT = std::numeric_limits<double>::infinity();

/** One property of a device, as plain numbers. */
struct Property
{
    const char* name;                                                   //!< as in texts
    double (*parse)(const std::string& name, const std::string& value); //!< number of a value
    void (*store)(DeviceProfile& profile, double number);               //!< once in range
    double least;                                                       //!< smallest number
    double limit;                                                       //!< above all numbers
    const char* range;                                                  //!< both, in words
    bool bounded; //!< whether a distribution without upper limit is refused
};

/** @return a number below 1: a probability, or joules of an operation */
double
ParseBelowOne(const std::string& name, const std::string& value)
{
    const auto number = ParseNumber(value);
    Require(number && *number >= 0 && *number < 1, "{} must be in [0, 1), got '{}'", name, value);
    return *number;
}

/** @return a number of at least @p least, in a unit such as " of joules" */
double
ParseAtLeast(const std::string& name, const std::string& value, const char* unit, double least)
{
    const auto number = ParseNumber(value);
    Require(number && *number >= least,
            "{} must be a number{} of at least {}, got '{}'",
            name,
            unit,
            least,
            value);
    return *number;
}

/** The properties, in the order of their random streams. */
const Property PROPERTIES[] = {
    {"rate",
     [](const std::string& name, const std::string& value) {
         return static_cast<double>(ParseDataRate(name, value).GetBitRate());
     },
     [](DeviceProfile& p, double x) {
         p.link.rate = DataRate(static_cast<uint64_t>(std::llround(x)));
     },
     1,
     1e18,
     "from 1 bit/s to below 1e18 bit/s",
     false},
    {"delay",
     [](const std::string& name, const std::string& value) {
         return static_cast<double>(ParseTime(name, value).GetNanoSeconds());
     },
     [](DeviceProfile& p, double x) {
         p.link.delay = NanoSeconds(static_cast<uint64_t>(std::llround(x)));
     },
     0,
     END_OF_TIME,
     "from 0 to below 4.6e18 ns",
     false},
    {"loss",
     &ParseBelowOne,
     [](DeviceProfile& p, double x) { p.link.loss = x; },
     0,
     1,
     "[0, 1)",
     true},
    {"flops",
     [](const std::string& name, const std::string& value) {
         return ParseAtLeast(name, value, "", FlopsCompute::LEAST_FLOPS);
     },
     [](DeviceProfile& p, double x) { p.flops = x; },
     FlopsCompute::LEAST_FLOPS,
     NO_LIMIT,
     "at least 1 and finite",
     false},
    {"battery",
     [](const std::string& name, const std::string& value) {
         return ParseAtLeast(name, value, " of joules", Battery::LEAST_CAPACITY);
     },
     [](DeviceProfile& p, double x) { p.battery = x; },
     Battery::LEAST_CAPACITY,
     NO_LIMIT,
     "at least 1e-9 and finite",
     false},
    {"joules-per-operation",
     &ParseBelowOne,
     [](DeviceProfile& p, double x) { p.joulesPerOperation = x; },
     0,
     1,
     "[0, 1)",
     true},
    {"sample-time",
     [](const std::string& name, const std::string& value) {
         return static_cast<double>(ParseTime(name, value).GetNanoSeconds());
     },
     [](DeviceProfile& p, double x) { p.sampleTime = NanoSeconds(std::llround(x)); },
     1,
     END_OF_TIME,
     "from 1 to below 4.6e18 ns",
     false}};

std::string
ListProperties()
{
    std::vector<std::string> names;
    for (const Property& property : PROPERTIES)
    {
        names.emplace_back(property.name);
    }
    return JoinNames(names);
}

/** Cut a text into pieces without blanks. */
std::vector<std::string>
Split(const std::string& text, char separator)
{
    const char* const blanks = " \t";
    std::vector<std::string> pieces = SplitText(text, separator);
    for (std::string& piece : pieces)
    {
        piece.erase(0, piece.find_first_not_of(blanks));
        piece.erase(piece.find_last_not_of(blanks) + 1);
    }
    return pieces;
}

Ptr<RandomVariableStream>
MakeVariable(const Property& property,
             const std::string& name,
             const std::string& text,
             int64_t stream,
             int64_t offset)
{
    const std::vector<std::string> words = Split(text, ':');
    const bool lognormal = words[0] == "lognormal";
    const bool exponential = words[0] == "exponential";
    Require(!property.bounded || (!lognormal && !exponential),
            "{} must stay in {}, and a distribution without upper limit does not, got '{}'",
            name,
            property.range,
            text);
    const auto require = [&](bool condition, const char* form) {
        Require(condition, "{} must have the form {}, got '{}'", name, form, text);
    };
    if (words[0] == "uniform")
    {
        require(words.size() == 3, "uniform:LOW:HIGH");
        const double low = property.parse(name, words[1]);
        const double high = property.parse(name, words[2]);
        Require(low <= high, "{} must have LOW <= HIGH in uniform:LOW:HIGH, got '{}'", name, text);
        const auto variable = CreateSeeded<UniformRandomVariable>(stream, offset);
        variable->SetAttribute("Min", DoubleValue(low));
        variable->SetAttribute("Max", DoubleValue(high));
        return variable;
    }
    if (lognormal)
    {
        require(words.size() == 3, "lognormal:MEDIAN:SIGMA");
        const double median = property.parse(name, words[1]);
        const auto sigma = ParseNumber(words[2]);
        Require(median > 0 && sigma && *sigma >= 0,
                "{} must have MEDIAN > 0 and SIGMA >= 0 in lognormal:MEDIAN:SIGMA, got '{}'",
                name,
                text);
        const auto variable = CreateSeeded<LogNormalRandomVariable>(stream, offset);
        variable->SetAttribute("Mu", DoubleValue(std::log(median)));
        variable->SetAttribute("Sigma", DoubleValue(*sigma));
        return variable;
    }
    if (exponential)
    {
        require(words.size() == 2, "exponential:MEAN");
        const double mean = property.parse(name, words[1]);
        Require(mean > 0, "{} must have MEAN > 0 in exponential:MEAN, got '{}'", name, text);
        const auto variable = CreateSeeded<ExponentialRandomVariable>(stream, offset);
        variable->SetAttribute("Mean", DoubleValue(mean));
        return variable;
    }
    Require(words.size() == 1,
            "{} must be a value or one of uniform:LOW:HIGH, lognormal:MEDIAN:SIGMA and "
            "exponential:MEAN, got '{}'",
            name,
            text);
    const auto variable = CreateObject<ConstantRandomVariable>();
    variable->SetAttribute("Constant", DoubleValue(property.parse(name, text)));
    return variable;
}

/** @return number of the first learner with a profile */
LearnerId
GetFirst(DeviceOwners owners)
{
    return owners == DeviceOwners::CLIENTS ? 1 : 0;
}

/** @return the name of an owner in messages and files */
std::string
GetOwnerName(DeviceOwners owners)
{
    return owners == DeviceOwners::CLIENTS ? "client" : "learner";
}

/** The columns of a table of profiles, by its first line. */
struct ProfileColumns
{
    std::vector<std::string> names;
    std::vector<const Property*> properties; //!< null for the column of learners
    size_t owner{0};                         //!< the column of learners
};

ProfileColumns
ReadColumns(const std::string& line, const std::string& owner, const std::string& place)
{
    ProfileColumns columns;
    for (const std::string& cell : Split(line, ','))
    {
        const auto property = std::find_if(std::begin(PROPERTIES),
                                           std::end(PROPERTIES),
                                           [&](const Property& p) { return cell == p.name; });
        Require(cell == owner || property != std::end(PROPERTIES),
                "{}: columns must be {} and any of {}, got '{}'",
                place,
                owner,
                ListProperties(),
                cell);
        Require(std::count(columns.names.begin(), columns.names.end(), cell) == 0,
                "{}: column {} must not be there twice",
                place,
                cell);
        columns.names.push_back(cell);
        columns.properties.push_back(cell == owner ? nullptr : property);
    }
    columns.owner =
        std::find(columns.names.begin(), columns.names.end(), owner) - columns.names.begin();
    Require(columns.owner < columns.names.size(), "{}: there must be a column {}", place, owner);
    return columns;
}

} // namespace

std::vector<DeviceProfile>
DeviceProfiles::Draw(const DeviceDistributions& distributions,
                     uint32_t number,
                     int64_t stream,
                     DeviceOwners owners)
{
    const LearnerId first = GetFirst(owners);
    std::vector<DeviceProfile> profiles(first + number);
    const std::string* texts[] = {&distributions.rate,
                                  &distributions.delay,
                                  &distributions.loss,
                                  &distributions.flops,
                                  &distributions.battery,
                                  &distributions.joulesPerOperation};
    for (size_t k = 0; k < std::size(texts); ++k)
    {
        const Property& property = PROPERTIES[k];
        if (texts[k]->empty())
        {
            continue;
        }
        const std::string prefix = property.name == std::string("battery") ? "" : "client-";
        const std::string name = prefix + property.name; // of the option
        const auto variable = MakeVariable(property, name, *texts[k], stream, k);
        for (LearnerId id = first; id < profiles.size(); ++id)
        {
            const double drawn = variable->GetValue();
            Require(drawn >= property.least && drawn < property.limit,
                    "{} of {} {} must be {}, '{}' gave {}",
                    name,
                    GetOwnerName(owners),
                    id,
                    property.range,
                    *texts[k],
                    drawn);
            property.store(profiles[id], drawn);
        }
    }
    return profiles;
}

std::vector<DeviceProfile>
DeviceProfiles::Read(const std::string& path, uint32_t number, DeviceOwners owners)
{
    const LearnerId first = GetFirst(owners);
    const std::string owner = GetOwnerName(owners);
    std::vector<DeviceProfile> profiles(first + number);
    std::vector<std::string> places(profiles.size()); // line of each learner
    LineReader reader(path);
    std::string line;
    Require(reader.Next(line), path, ":1: a first line must name the columns");
    const ProfileColumns columns = ReadColumns(line, owner, reader.GetPlace());
    bool filled = false;
    while (reader.Next(line))
    {
        const std::string place = reader.GetPlace();
        const std::vector<std::string> cells = Split(line, ',');
        if (cells.size() == 1 && cells[0].empty())
        {
            continue;
        }
        Require(cells.size() == columns.names.size(),
                "{}: a line must have {} cells as the first, got {}",
                place,
                columns.names.size(),
                cells.size());
        const auto id = ParseWholeNumber(cells[columns.owner]);
        Require(id && *id >= first && *id < profiles.size(),
                "{}: column {} must be a whole number from {} to {}, got '{}'",
                place,
                owner,
                first,
                profiles.size() - 1,
                cells[columns.owner]);
        Require(places[*id].empty(),
                "{}: column {} must not name {} {} again, it is in {}",
                place,
                owner,
                owner,
                *id,
                places[*id]);
        places[*id] = place;
        for (size_t k = 0; k < cells.size(); ++k)
        {
            if (const Property* property = columns.properties[k]; property && !cells[k].empty())
            {
                const std::string name = place + ": column " + columns.names[k];
                property->store(profiles[*id], property->parse(name, cells[k]));
                filled = true;
            }
        }
    }
    Require(filled,
            "{}: a line below the first must give a value to a {}, and none does",
            path,
            owner);
    return profiles;
}

std::vector<LinkOptions>
DeviceProfiles::GetLinks(const std::vector<DeviceProfile>& profiles)
{
    std::vector<LinkOptions> links;
    bool unequal = false;
    for (const DeviceProfile& profile : profiles)
    {
        const LinkOptions& link = profile.link;
        links.push_back(link);
        unequal |= link.rate.has_value() || link.delay.has_value() || link.loss.has_value();
    }
    return unequal ? links : std::vector<LinkOptions>();
}

} // namespace ns3::dlearn
