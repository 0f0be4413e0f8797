/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-position-trace.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <libxml/xmlreader.h>
#include <limits>
#include <memory>
#include <sstream>
#include <type_traits>

namespace ns3::dlearn
{

void
RequireInside(const std::string& where,
              const std::pair<double, double>& position,
              LearnerId id,
              double side)
{
    const auto& [x, y] = position;
    Require(x >= 0 && x <= side && y >= 0 && y <= side,
            where + ": position (",
            x,
            ", ",
            y,
            ") of learner " + std::to_string(id) + " lies outside the square of side ",
            side);
}

void
PositionTrace::Shift(uint32_t offset)
{
    const auto shift = [offset](auto& nodes) {
        std::decay_t<decltype(nodes)> shifted;
        for (auto& [node, value] : nodes)
        {
            if (node <= std::numeric_limits<uint32_t>::max() - offset)
            {
                shifted[node + offset] = std::move(value);
            }
        }
        nodes = std::move(shifted);
    };
    shift(m_ways);
    shift(m_presences);
}

void
PositionTrace::Join(const PositionTrace& other)
{
    for (const auto& [id, way] : other.m_ways)
    {
        Require(m_ways.emplace(id, way).second,
                "mobility: learner " + std::to_string(id) + " must be in one file, is in " +
                    m_path + " and " + other.m_path);
    }
    m_presences.insert(other.m_presences.begin(), other.m_presences.end());
    m_path += " and " + other.m_path;
}

void
PositionTrace::CheckFits(const std::string& network,
                         uint32_t learners,
                         double side,
                         std::optional<LearnerId> fixed) const
{
    for (LearnerId id = 0; id < learners; ++id)
    {
        Require(Has(id) || id == fixed,
                (network + ": " + m_path + " has no position of learner " + std::to_string(id) +
                 (fixed ? "; learner " + std::to_string(*fixed) +
                              " is the server, and ',offset=1' behind the name of the file makes "
                              "learner k + 1 of node k"
                        : "; a second file, with + in between, may have it")));
        if (!Has(id))
        {
            continue;
        }
        for (const Waypoint& at : m_ways.at(id))
        {
            RequireInside(network + ": " + m_path, {at.position.x, at.position.y}, id, side);
        }
    }
}

bool
PositionTrace::IsMoving() const
{
    return std::any_of(m_ways.begin(), m_ways.end(), [](const auto& way) {
        return way.second.size() > 1;
    });
}

std::pair<double, double>
PositionTrace::GetStart(LearnerId id) const
{
    const Vector& start = m_ways.at(id).front().position;
    return {start.x, start.y};
}

Ptr<MobilityModel>
PositionTrace::CreateModel(LearnerId id, Time origin, double height) const
{
    const auto model = CreateObject<VehicleMobility>();
    for (const Waypoint& at : m_ways.at(id))
    {
        model->AddWaypoint({origin + at.time, at.position + Vector(0, 0, height)});
    }
    model->SetPresence(GetPresence(id), origin);
    return model;
}

namespace
{

class TraceReader
{
  public:
    explicit TraceReader(const std::string& path)
        : m_reader(path)
    {
    }

    bool Next(std::string& line) { return m_reader.Next(line); }

    /** Require(), with the place in the file in front of the message. */
    template <typename... Parts>
    void Check(bool condition, const Parts&... parts) const
    {
        Require(condition, m_reader.GetPlace(), ": ", parts...);
    }

    double ReadNumber(const std::string& what, const std::string& text) const
    {
        const auto number = ParseNumber(text);
        Check(number && std::isfinite(*number),
              what + " must be a finite number, got '" + text.substr(0, 40) + "'");
        return *number;
    }

  private:
    LineReader m_reader;
};

const std::string FLAT = "time_s,node,x_m,y_m"; //!< first line of a table
const std::string WITH_HEIGHT = FLAT + ",z_m";

} // namespace

PositionTrace
ReadPositionTable(const std::string& path)
{
    TraceReader reader(path);
    std::string line;
    reader.Next(line);
    const bool high = line == WITH_HEIGHT;
    Require(high || line == FLAT,
            path + ": the first line must be '" + FLAT + "' or '" + WITH_HEIGHT + "', got '" +
                line.substr(0, 40) + "'");
    std::map<uint32_t, std::vector<Waypoint>> ways;
    while (reader.Next(line))
    {
        const auto fields = SplitCsvFields(line);
        const size_t size = high ? 5 : 4;
        reader.Check(fields.size() == size, "must have ", size, " fields, got ", fields.size());
        const auto time = ParseNumber(fields[0].text);
        const std::string shown = fields[0].text.substr(0, 40);
        reader.Check(time && std::abs(*time) < END_OF_TIME / 1e9,
                     "time_s must be between -4.6e9 and 4.6e9, got '" + shown + "'");
        const auto node = ParseWholeNumber(fields[1].text);
        reader.Check(node.has_value(),
                     "node must be a whole number of at least 0, got '" +
                         fields[1].text.substr(0, 40) + "'");
        const Vector position(reader.ReadNumber("x_m", fields[2].text),
                              reader.ReadNumber("y_m", fields[3].text),
                              high ? reader.ReadNumber("z_m", fields[4].text) : 0);
        std::vector<Waypoint>& way = ways[*node];
        reader.Check(way.empty() || way.back().time < Seconds(*time),
                     "time_s of node " + std::to_string(*node) +
                         " must be more than the one before it, got " + shown);
        way.emplace_back(Seconds(*time), position);
    }
    Require(!ways.empty(), path, ": must have at least one position");
    return {path, std::move(ways)};
}

namespace
{

constexpr size_t AXES = 3;
const std::string NAMES[AXES]{"X_", "Y_", "Z_"};
constexpr double Vector::*COORDINATES[AXES]{&Vector::x, &Vector::y, &Vector::z};

/** A movement or a jump of a node. */
struct Movement
{
    Time time;
    Vector goal;                //!< in metres; for a jump, only the coordinate of the axis
    double speed{0};            //!< in m/s; 0: stop
    std::optional<size_t> axis; //!< axis of a jump; unset: it moves
};

/** The lines of a node. */
struct NodeMovements
{
    std::optional<double> start[AXES]; //!< initial coordinates, in metres
    std::vector<Movement> movements;   //!< in the order of the file
};

/** @return the words of a line, without quotation marks and semicolons */
std::vector<std::string>
SplitNs2Line(const std::string& line)
{
    std::string text = line.substr(0, line.find('#'));
    std::replace(text.begin(), text.end(), '"', ' ');
    std::replace(text.begin(), text.end(), ';', ' ');
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

/** @return the number N of a node $node_(N) */
uint32_t
ReadNs2Node(const TraceReader& reader, const std::string& word)
{
    const size_t begin = word.find('(') + 1; // 0: none
    const bool closed = begin > 0 && word.back() == ')' && word.rfind("$node", 0) == 0;
    const auto number = ParseWholeNumber(closed ? word.substr(begin, word.size() - begin - 1) : "");
    reader.Check(number.has_value(),
                 "a node must be written as $node_(N), got '" + word.substr(0, 40) + "'");
    return *number;
}

/** Parse a line with at least one word. */
void
ReadNs2Line(const TraceReader& reader,
            std::vector<std::string> words,
            const std::string& line,
            std::map<uint32_t, NodeMovements>& nodes)
{
    std::optional<Time> time;
    if (words.size() > 3 && words[0].rfind("$ns", 0) == 0 && words[1] == "at")
    {
        const double seconds = reader.ReadNumber("time", words[2]);
        reader.Check(seconds >= 0 && seconds < END_OF_TIME / 1e9,
                     "time must be from 0 to below 4.6e9, got " + words[2].substr(0, 40));
        time = Seconds(seconds);
        words.erase(words.begin(), words.begin() + 3);
    }
    const bool moves = time && words.size() == 5 && words[1] == "setdest";
    reader.Check(moves || (words.size() == 4 && words[1] == "set"),
                 "must be '$node_(N) set X_ VALUE', '$ns_ at TIME \"$node_(N) set X_ VALUE\"' or "
                 "'$ns_ at TIME \"$node_(N) setdest X Y SPEED\"', got '" +
                     line.substr(0, 60) + "'");
    NodeMovements& node = nodes[ReadNs2Node(reader, words[0])];
    if (moves)
    {
        const Vector goal(reader.ReadNumber("x", words[2]), reader.ReadNumber("y", words[3]), 0);
        const double speed = reader.ReadNumber("speed", words[4]);
        reader.Check(speed >= 0, "speed must be at least 0, got " + words[4].substr(0, 40));
        node.movements.push_back({*time, goal, speed, std::nullopt});
        return;
    }
    const size_t axis = std::find(NAMES, NAMES + AXES, words[2]) - NAMES;
    reader.Check(axis < AXES, "can set X_, Y_ and Z_, got " + words[2].substr(0, 40));
    const double value = reader.ReadNumber(words[2], words[3]);
    if (time)
    {
        Vector goal;
        goal.*COORDINATES[axis] = value;
        node.movements.push_back({*time, goal, 0, axis});
        return;
    }
    reader.Check(!node.start[axis], words[2] + " is set twice");
    node.start[axis] = value;
}

/** Follows a node from one movement to the next. */
class NodeTracker
{
  public:
    NodeTracker(const std::string& name, const Vector& start)
        : m_name(name),
          m_way{Waypoint(Time(0), start)},
          m_goal(m_way.front())
    {
    }

    void Move(Movement movement)
    {
        if (movement.axis)
        {
            Put(movement);
            return;
        }
        const Waypoint here = MoveUntil(movement.time);
        movement.goal.z = here.position.z;
        const double distance = CalculateDistance(here.position, movement.goal);
        const double seconds = movement.speed > 0 ? distance / movement.speed : 0;
        Require(seconds < END_OF_TIME / 1e9 - movement.time.GetSeconds(),
                m_name + " must arrive at (",
                movement.goal.x,
                ", ",
                movement.goal.y,
                ") before 4.6e9 s, but its speed is ",
                movement.speed);
        m_goal =
            movement.speed > 0 ? Waypoint(movement.time + Seconds(seconds), movement.goal) : here;
    }

    std::vector<Waypoint> Finish()
    {
        Add(m_goal);
        return m_way;
    }

  private:
    /** Move the node to another place during the last nanosecond before the time. */
    void Put(const Movement& movement)
    {
        if (m_way.back().time < movement.time)
        {
            MoveUntil(movement.time - NanoSeconds(1));
        }
        m_goal = Waypoint(movement.time, m_way.back().position);
        const auto coordinate = COORDINATES[*movement.axis];
        m_goal.position.*coordinate = movement.goal.*coordinate;
        Add(m_goal);
    }

    /** @return the position of the node at a time, which is recorded */
    Waypoint MoveUntil(Time time)
    {
        const Waypoint from = m_way.back();
        Vector position = m_goal.position;
        if (m_goal.time > time)
        {
            const double share =
                (time - from.time).GetSeconds() / (m_goal.time - from.time).GetSeconds();
            position.x = from.position.x + share * (m_goal.position.x - from.position.x);
            position.y = from.position.y + share * (m_goal.position.y - from.position.y);
        }
        else
        {
            Add(m_goal);
        }
        Add(Waypoint(time, position));
        return m_way.back();
    }

    /** Record a position. */
    void Add(const Waypoint& at)
    {
        if (at.time > m_way.back().time)
        {
            m_way.push_back(at);
        }
        else if (at.time == m_way.back().time) // it arrives within the nanosecond
        {
            m_way.back() = at;
        }
    }

    std::string m_name;
    std::vector<Waypoint> m_way; //!< times increase
    Waypoint m_goal;             //!< destination and time of arrival
};

Vector
FindStart(const std::string& path, uint32_t id, const NodeMovements& node)
{
    Vector start;
    for (size_t axis = 0; axis < AXES; ++axis)
    {
        const auto first =
            std::find_if(node.movements.begin(),
                         node.movements.end(),
                         [axis](const auto& movement) { return movement.axis == axis; });
        const bool put = first != node.movements.end();
        Require(node.start[axis] || put || axis == 2,
                path + ": node " + std::to_string(id) + " must have both X_ and Y_ set");
        start.*COORDINATES[axis] =
            node.start[axis].value_or(put ? first->goal.*COORDINATES[axis] : 0);
    }
    return start;
}

} // namespace

PositionTrace
ReadNs2Movements(const std::string& path)
{
    TraceReader reader(path);
    std::map<uint32_t, NodeMovements> nodes;
    for (std::string line; reader.Next(line);)
    {
        const auto words = SplitNs2Line(line);
        if (!words.empty() && line.find("$god_") == std::string::npos)
        {
            ReadNs2Line(reader, words, line, nodes);
        }
    }
    std::map<uint32_t, std::vector<Waypoint>> ways;
    for (auto& [id, node] : nodes)
    {
        std::stable_sort(node.movements.begin(),
                         node.movements.end(),
                         [](const auto& a, const auto& b) { return a.time < b.time; });
        NodeTracker tracker(path + ": node " + std::to_string(id), FindStart(path, id, node));
        for (const Movement& movement : node.movements)
        {
            tracker.Move(movement);
        }
        ways[id] = tracker.Finish();
    }
    Require(!ways.empty(), path, ": must have at least one node");
    return {path, std::move(ways)};
}

namespace
{

/** Streams an XML file, element by element. */
class ElementReader
{
  public:
    explicit ElementReader(const std::string& path)
        : m_file(path),
          m_reader(xmlReaderForIO(&ElementReader::Read,
                                  nullptr,
                                  this,
                                  path.c_str(),
                                  nullptr,
                                  XML_PARSE_NOWARNING | XML_PARSE_NONET | XML_PARSE_BIG_LINES),
                   &xmlFreeTextReader)
    {
        // Its argument is const since libxml2 2.12, hence auto.
        const auto keep = [](void* reader, auto* error) {
            auto& first = static_cast<ElementReader*>(reader)->m_error;
            if (first.empty() && error->level >= XML_ERR_ERROR)
            {
                const std::string text = error->message;
                first = std::to_string(error->line) +
                        ": is not XML: " + text.substr(0, text.find('\n'));
            }
        };
        xmlTextReaderSetStructuredErrorHandler(m_reader.get(), keep, this);
    }

    /** @return whether there was a next element */
    bool Next()
    {
        int state;
        do
        {
            state = xmlTextReaderRead(m_reader.get());
            if (m_failure)
            {
                std::rethrow_exception(m_failure);
            }
            Require(state >= 0, m_file.GetPath() + ":" + m_error);
        } while (state == 1 && xmlTextReaderNodeType(m_reader.get()) != XML_READER_TYPE_ELEMENT);
        return state == 1;
    }

    /** @return whether the element is inside of so many others, and has this name */
    bool IsAt(int depth, const std::string& name) const
    {
        return xmlTextReaderDepth(m_reader.get()) == depth &&
               name == reinterpret_cast<const char*>(xmlTextReaderConstName(m_reader.get()));
    }

    std::optional<std::string> FindAttribute(const char* name) const
    {
        const std::unique_ptr<xmlChar, void (*)(void*)> value(
            xmlTextReaderGetAttribute(m_reader.get(), reinterpret_cast<const xmlChar*>(name)),
            xmlFree);
        return value ? std::optional<std::string>(reinterpret_cast<const char*>(value.get()))
                     : std::nullopt;
    }

    double ReadNumber(const char* name, const std::string& usual = "") const
    {
        const std::string text = FindAttribute(name).value_or(usual);
        const auto number = ParseNumber(text);
        Check(number && std::isfinite(*number),
              std::string(name) + " must be a finite number, got '" + text.substr(0, 40) + "'");
        return *number;
    }

    /** Require(), with the place in the file in front of the message. */
    template <typename... Parts>
    void Check(bool condition, const Parts&... parts) const
    {
        Require(condition,
                m_file.GetPath() + ":",
                xmlGetLineNo(xmlTextReaderCurrentNode(m_reader.get())),
                ": ",
                parts...);
    }

  private:
    static int Read(void* reader, char* buffer, int size)
    {
        auto& own = *static_cast<ElementReader*>(reader);
        try
        {
            return static_cast<int>(own.m_file.Read(buffer, size));
        }
        catch (...) // not through C
        {
            own.m_failure = std::current_exception();
            return -1;
        }
    }

    GzipFile m_file;
    std::string m_error;          //!< first one of libxml2, with its line
    std::exception_ptr m_failure; //!< of the file
    std::unique_ptr<xmlTextReader, void (*)(xmlTextReaderPtr)> m_reader;
};

} // namespace

PositionTrace
ReadFloatingCarData(const std::string& path)
{
    ElementReader reader(path);
    reader.Check(reader.Next() && reader.IsAt(0, "fcd-export"),
                 "must begin with the element fcd-export of SUMO's floating car data");
    std::map<std::string, uint32_t> nodes; // by id
    std::map<uint32_t, std::vector<Waypoint>> ways;
    std::optional<double> first; // time step, in seconds
    Time now(-1);
    while (reader.Next())
    {
        if (reader.IsAt(1, "timestep"))
        {
            const double seconds = reader.ReadNumber("time");
            first = first.value_or(seconds);
            const bool fits = std::abs(seconds - *first) < END_OF_TIME / 1e9;
            reader.Check(fits && Seconds(seconds - *first) > now,
                         "time must be more than the one before it, and less than 4.6e9 s after "
                         "the first, got ",
                         seconds);
            now = Seconds(seconds - *first);
        }
        else if (first && reader.IsAt(2, "vehicle"))
        {
            const auto id = reader.FindAttribute("id");
            reader.Check(id.has_value(), "a vehicle must have an id");
            const auto next = static_cast<uint32_t>(nodes.size());
            std::vector<Waypoint>& way = ways[nodes.emplace(*id, next).first->second];
            reader.Check(way.empty() || way.back().time < now,
                         "vehicle '" + *id + "' is there twice in a time step");
            way.emplace_back(now,
                             Vector(reader.ReadNumber("x"),
                                    reader.ReadNumber("y"),
                                    reader.ReadNumber("z", "0")));
        }
    }
    Require(!ways.empty(), path, ": must have at least one vehicle");
    std::map<uint32_t, Presence> presences;
    for (const auto& [node, way] : ways)
    {
        const Time begin = way.front().time;
        const Time end = way.back().time;
        presences[node] = {begin > Time(0) ? std::optional(begin) : std::nullopt,
                           end < now ? std::optional(end) : std::nullopt};
    }
    return {path, std::move(ways), std::move(presences)};
}

} // namespace ns3::dlearn
