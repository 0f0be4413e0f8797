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

/** One property of a device, as plain numbers. */
struct Property
{
    const char* name;                                                   //!< as in texts
    double (*parse)(const std::string& name, const std::string& value); //!< number of a value
    void (*store)(DeviceProfile& profile, double number);               //!< once in range
    double least;                                                       //!< smallest number
    double limit;                                                       //!< above all numbers
    const char* range;                                                  //!< both, in words
    bool bounded; //!< whether a distribution that has no upper limit is of no use
};

/** @return bit/s */
double
ParseRate(const std::string& name, const std::string& value)
{
    return static_cast<double>(ParseDataRate(name, value).GetBitRate());
}

/** @return nanoseconds */
double
ParseDelay(const std::string& name, const std::string& value)
{
    return static_cast<double>(ParseTime(name, value).GetNanoSeconds());
}

/** @return a number below 1: a probability, or joules of an operation */
double
ParseBelowOne(const std::string& name, const std::string& value)
{
    const auto number = ParseNumber(value);
    Require(number && *number >= 0 && *number < 1, name, " must be in [0, 1), got '", value, "'");
    return *number;
}

/** @return a number that is not too small; what it is, for the message */
double
ParseAtLeast(const std::string& name, const std::string& value, const char* what, double least)
{
    const auto number = ParseNumber(value);
    Require(number && *number >= least,
            name,
            " must be ",
            what,
            " of at least ",
            least,
            ", got '",
            value,
            "'");
    return *number;
}

/** @return operations a second */
double
ParseFlops(const std::string& name, const std::string& value)
{
    return ParseAtLeast(name, value, "a number", FlopsCompute::LEAST_FLOPS);
}

/** @return joules that a battery holds */
double
ParseCapacity(const std::string& name, const std::string& value)
{
    return ParseAtLeast(name, value, "a number of joules", Battery::LEAST_CAPACITY);
}

/** The properties, in the order of their random streams. */
const Property PROPERTIES[] = {{"rate",
                                &ParseRate,
                                [](DeviceProfile& p, double x) {
                                    p.link.rate = DataRate(static_cast<uint64_t>(std::llround(x)));
                                },
                                1,
                                1e18,
                                "from 1 bit/s to below 1e18 bit/s",
                                false},
                               {"delay",
                                &ParseDelay,
                                [](DeviceProfile& p, double x) {
                                    p.link.delay =
                                        NanoSeconds(static_cast<uint64_t>(std::llround(x)));
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
                                &ParseFlops,
                                [](DeviceProfile& p, double x) { p.flops = x; },
                                FlopsCompute::LEAST_FLOPS,
                                std::numeric_limits<double>::infinity(),
                                "at least 1 and finite",
                                false},
                               {"battery",
                                &ParseCapacity,
                                [](DeviceProfile& p, double x) { p.battery = x; },
                                Battery::LEAST_CAPACITY,
                                std::numeric_limits<double>::infinity(),
                                "at least 1e-9 and finite",
                                false},
                               {"joules-per-operation",
                                &ParseBelowOne,
                                [](DeviceProfile& p, double x) { p.joulesPerOperation = x; },
                                0,
                                1,
                                "[0, 1)",
                                true}};

/** @return the names of all properties */
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

/**
 * Cut a text into pieces.
 *
 * @param text the text
 * @param separator between the pieces
 * @return the pieces, at least one, without blanks around them
 */
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

/** @return the option of the programs from which a property is drawn */
std::string
GetOptionName(const Property& property)
{
    const std::string name = property.name;
    return name == "battery" ? name : "client-" + name;
}

/**
 * Make the random variable that a text describes.
 *
 * @param property what is drawn
 * @param name of the option with the text
 * @param text value or distribution
 * @param stream random stream of the caller
 * @param offset number of the variable
 * @return draws numbers in the unit of the property
 */
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
            name,
            " must stay in ",
            property.range,
            ", and a distribution without upper limit does not, got '",
            text,
            "'");
    const auto require = [&](bool condition, const char* form) {
        Require(condition, name, " must have the form ", form, ", got '", text, "'");
    };
    if (words[0] == "uniform")
    {
        require(words.size() == 3, "uniform:LOW:HIGH");
        const double low = property.parse(name, words[1]);
        const double high = property.parse(name, words[2]);
        Require(low <= high, name, " must have LOW <= HIGH in uniform:LOW:HIGH, got '", text, "'");
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
                name,
                " must have MEDIAN > 0 and SIGMA >= 0 in lognormal:MEDIAN:SIGMA, got '",
                text,
                "'");
        const auto variable = CreateSeeded<LogNormalRandomVariable>(stream, offset);
        variable->SetAttribute("Mu", DoubleValue(std::log(median)));
        variable->SetAttribute("Sigma", DoubleValue(*sigma));
        return variable;
    }
    if (exponential)
    {
        require(words.size() == 2, "exponential:MEAN");
        const double mean = property.parse(name, words[1]);
        Require(mean > 0, name, " must have MEAN > 0 in exponential:MEAN, got '", text, "'");
        const auto variable = CreateSeeded<ExponentialRandomVariable>(stream, offset);
        variable->SetAttribute("Mean", DoubleValue(mean));
        return variable;
    }
    Require(words.size() == 1,
            name,
            " must be a value or one of uniform:LOW:HIGH, lognormal:MEDIAN:SIGMA and "
            "exponential:MEAN, got '",
            text,
            "'");
    const auto variable = CreateObject<ConstantRandomVariable>();
    variable->SetAttribute("Constant", DoubleValue(property.parse(name, text)));
    return variable;
}

/** @return the first learner with a profile */
LearnerId
GetFirst(DeviceOwners owners)
{
    return owners == DeviceOwners::CLIENTS ? 1 : 0;
}

/** @return what messages and files call one of them */
std::string
GetOwnerName(DeviceOwners owners)
{
    return owners == DeviceOwners::CLIENTS ? "client" : "learner";
}

/** Reads the table line by line. */
class ProfileReader
{
  public:
    /**
     * @param path the file
     * @param number of clients or peers
     * @param owners who they are
     */
    ProfileReader(const std::string& path, uint32_t number, DeviceOwners owners)
        : m_path(path),
          m_reader(path),
          m_first(GetFirst(owners)),
          m_owner(GetOwnerName(owners)),
          m_profiles(m_first + number),
          m_places(m_first + number)
    {
    }

    /** @return profile of each learner */
    std::vector<DeviceProfile> Read();

  private:
    /**
     * Find out which columns there are.
     * @param cells of the first line
     */
    void ReadHeader(const std::vector<std::string>& cells);

    /**
     * Read what one line says of a learner.
     * @param cells of a line
     */
    void ReadOwner(const std::vector<std::string>& cells);

    /**
     * @param cell number of a learner
     * @return the learner
     */
    LearnerId ParseOwner(const std::string& cell) const;

    std::string m_path;                     //!< as given
    LineReader m_reader;                    //!< the file
    LearnerId m_first;                      //!< that may be in it
    std::string m_owner;                    //!< name of the column of learners
    std::vector<std::string> m_names;       //!< of the columns
    std::vector<const Property*> m_columns; //!< of the columns; none for that of the learner
    std::vector<DeviceProfile> m_profiles;  //!< of each learner
    std::vector<std::string> m_places;      //!< line of each learner, empty until it came
    bool m_filled{false};                   //!< whether any cell has said anything
};

std::vector<DeviceProfile>
ProfileReader::Read()
{
    std::string line;
    Require(m_reader.Next(line), m_path, ":1: a first line must name the columns");
    ReadHeader(Split(line, ','));
    while (m_reader.Next(line))
    {
        const std::vector<std::string> cells = Split(line, ',');
        if (cells.size() > 1 || !cells[0].empty())
        {
            ReadOwner(cells);
        }
    }
    Require(m_filled,
            m_path,
            ": a line below the first must give a value to a ",
            m_owner,
            ", and none does");
    return m_profiles;
}

void
ProfileReader::ReadHeader(const std::vector<std::string>& cells)
{
    for (const std::string& cell : cells)
    {
        const auto property = std::find_if(std::begin(PROPERTIES),
                                           std::end(PROPERTIES),
                                           [&](const Property& p) { return cell == p.name; });
        Require(cell == m_owner || property != std::end(PROPERTIES),
                m_reader.GetPlace(),
                ": columns must be ",
                m_owner,
                " and any of ",
                ListProperties(),
                ", got '",
                cell,
                "'");
        Require(std::count(m_names.begin(), m_names.end(), cell) == 0,
                m_reader.GetPlace(),
                ": column ",
                cell,
                " must not be there twice");
        m_names.push_back(cell);
        m_columns.push_back(cell == m_owner ? nullptr : property);
    }
    Require(std::count(m_names.begin(), m_names.end(), m_owner) == 1,
            m_reader.GetPlace(),
            ": there must be a column ",
            m_owner);
}

LearnerId
ProfileReader::ParseOwner(const std::string& cell) const
{
    const auto id = ParseWholeNumber(cell);
    Require(id && *id >= m_first && *id < m_profiles.size(),
            m_reader.GetPlace(),
            ": column ",
            m_owner,
            " must be a whole number from ",
            m_first,
            " to ",
            m_profiles.size() - 1,
            ", got '",
            cell,
            "'");
    return *id;
}

void
ProfileReader::ReadOwner(const std::vector<std::string>& cells)
{
    Require(cells.size() == m_columns.size(),
            m_reader.GetPlace(),
            ": a line must have ",
            m_columns.size(),
            " cells as the first, got ",
            cells.size());
    const size_t column =
        std::find(m_columns.begin(), m_columns.end(), nullptr) - m_columns.begin();
    const LearnerId id = ParseOwner(cells[column]);
    Require(m_places[id].empty(),
            m_reader.GetPlace(),
            ": column ",
            m_owner,
            " must not name ",
            m_owner,
            " ",
            id,
            " again, it is in ",
            m_places[id]);
    m_places[id] = m_reader.GetPlace();
    for (size_t k = 0; k < cells.size(); ++k)
    {
        if (m_columns[k] && !cells[k].empty())
        {
            const std::string name = m_reader.GetPlace() + ": column " + m_names[k];
            m_columns[k]->store(m_profiles[id], m_columns[k]->parse(name, cells[k]));
            m_filled = true;
        }
    }
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
    for (size_t k = 0; k < std::size(PROPERTIES); ++k)
    {
        const Property& property = PROPERTIES[k];
        if (texts[k]->empty())
        {
            continue;
        }
        const std::string name = GetOptionName(property);
        const auto variable = MakeVariable(property, name, *texts[k], stream, k);
        for (LearnerId id = first; id < profiles.size(); ++id)
        {
            const double drawn = variable->GetValue();
            Require(drawn >= property.least && drawn < property.limit,
                    name,
                    " of ",
                    GetOwnerName(owners),
                    " ",
                    id,
                    " must be ",
                    property.range,
                    ", '",
                    *texts[k],
                    "' gave ",
                    drawn);
            property.store(profiles[id], drawn);
        }
    }
    return profiles;
}

std::vector<DeviceProfile>
DeviceProfiles::Read(const std::string& path, uint32_t number, DeviceOwners owners)
{
    return ProfileReader(path, number, owners).Read();
}

std::vector<LinkOptions>
DeviceProfiles::GetLinks(const std::vector<DeviceProfile>& profiles)
{
    std::vector<LinkOptions> links;
    links.reserve(profiles.size());
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
