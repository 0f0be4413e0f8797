/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ns2-movements.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

constexpr size_t AXES = 3;                       //!< of a position
const std::string NAMES[AXES]{"X_", "Y_", "Z_"}; //!< of the coordinates
constexpr double Vector::*COORDINATES[AXES]{&Vector::x, &Vector::y, &Vector::z}; //!< likewise

/** That a node goes or is put somewhere at a time. */
struct Movement
{
    Time time;                  //!< when it begins
    Vector goal;                //!< in metres; where it is put, only the coordinate of the axis
    double speed{0};            //!< in m/s; 0: stops
    std::optional<size_t> axis; //!< along which it is put at the goal; nothing: it goes there
};

/** What a file says of a node. */
struct NodeMovements
{
    std::optional<double> start[AXES]; //!< at the beginning, in metres
    std::vector<Movement> movements;   //!< in the order of the file
};

/** Understands the lines of a file, one after the other. */
class Ns2Reader
{
  public:
    explicit Ns2Reader(const std::string& path)
        : m_reader(path)
    {
    }

    /** @return what the file says, by node */
    const std::map<uint32_t, NodeMovements>& Read()
    {
        for (std::string line; m_reader.Next(line);)
        {
            ReadLine(line);
        }
        return m_nodes;
    }

  private:
    /** Take one line. */
    void ReadLine(const std::string& line)
    {
        std::string text = line.substr(0, line.find('#'));
        std::replace_if(
            text.begin(),
            text.end(),
            [](char c) { return c == '"' || c == ';'; },
            ' ');
        std::istringstream stream(text);
        std::vector<std::string> words;
        for (std::string word; stream >> word;)
        {
            words.push_back(word);
        }
        const bool skipped = words.empty() || line.find("$god_") != std::string::npos;
        if (skipped)
        {
            return;
        }
        std::optional<Time> time;
        if (words.size() > 3 && words[0].rfind("$ns", 0) == 0 && words[1] == "at")
        {
            time = ReadTime(words[2]);
            words.erase(words.begin(), words.begin() + 3);
        }
        const bool goes = time && words.size() == 5 && words[1] == "setdest";
        Require(goes || (words.size() == 4 && words[1] == "set"),
                m_reader.GetPlace(),
                ": must be '$node_(N) set X_ VALUE', '$ns_ at TIME \"$node_(N) set X_ VALUE\"' or "
                "'$ns_ at TIME \"$node_(N) setdest X Y SPEED\"', got '",
                line.substr(0, 60),
                "'");
        NodeMovements& node = m_nodes[ReadNode(words[0])];
        if (goes)
        {
            node.movements.push_back(ReadMovement(*time, words));
        }
        else
        {
            Set(words, time, node);
        }
    }

    /** @return the time of a movement */
    Time ReadTime(const std::string& word) const
    {
        const double time = ReadNumber("time", word);
        Require(time >= 0 && time < END_OF_TIME / 1e9,
                m_reader.GetPlace(),
                ": time must be from 0 to below 4.6e9, got ",
                word.substr(0, 40));
        return Seconds(time);
    }

    /** Take the words that put a node somewhere along an axis, at the beginning or later. */
    void Set(const std::vector<std::string>& words, std::optional<Time> time, NodeMovements& node)
    {
        const auto name = std::find(NAMES, NAMES + AXES, words[2]);
        Require(name != NAMES + AXES,
                m_reader.GetPlace(),
                ": can set X_, Y_ and Z_, got ",
                words[2].substr(0, 40));
        const size_t axis = name - NAMES;
        const double value = ReadNumber(words[2], words[3]);
        if (time)
        {
            Vector goal;
            goal.*COORDINATES[axis] = value;
            node.movements.push_back({*time, goal, 0, axis});
            return;
        }
        Require(!node.start[axis], m_reader.GetPlace(), ": ", words[2], " is set twice");
        node.start[axis] = value;
    }

    /** @return the movement of a node, its speed and where it goes */
    Movement ReadMovement(Time time, const std::vector<std::string>& words) const
    {
        const Vector goal(ReadNumber("x", words[2]), ReadNumber("y", words[3]), 0);
        const double speed = ReadNumber("speed", words[4]);
        Require(speed >= 0,
                m_reader.GetPlace(),
                ": speed must be at least 0, got ",
                words[4].substr(0, 40));
        return {time, goal, speed, std::nullopt};
    }

    /** @return the number of a node that is written as $node_(N) */
    uint32_t ReadNode(const std::string& word) const
    {
        const size_t begin = word.find('(');
        const bool closed = begin != std::string::npos && word.back() == ')';
        const auto number =
            closed ? ParseWholeNumber(
                         std::string_view(word).substr(begin + 1, word.size() - begin - 2))
                   : std::nullopt;
        Require(number && word.rfind("$node", 0) == 0,
                m_reader.GetPlace(),
                ": a node must be written as $node_(N), got '",
                word.substr(0, 40),
                "'");
        return *number;
    }

    /** @return a finite number */
    double ReadNumber(const std::string& what, const std::string& word) const
    {
        const auto number = ParseNumber(word);
        Require(number && std::isfinite(*number),
                m_reader.GetPlace(),
                ": ",
                what,
                " must be a finite number, got '",
                word.substr(0, 40),
                "'");
        return *number;
    }

    LineReader m_reader;                       //!< of the file
    std::map<uint32_t, NodeMovements> m_nodes; //!< what was read
};

/** Follows a node from one movement to the next. */
class NodeTracker
{
  public:
    /**
     * @param name of the node, for messages
     * @param start where it is at the beginning
     */
    NodeTracker(const std::string& name, const Vector& start)
        : m_name(name),
          m_way{Waypoint(Time(0), start)},
          m_goal(m_way.front())
    {
    }

    /** Have the node go or be elsewhere. */
    void Move(Movement movement)
    {
        if (movement.axis)
        {
            Put(movement);
            return;
        }
        const Waypoint here = GoOnUntil(movement.time);
        movement.goal.z = here.position.z;
        const double distance = CalculateDistance(here.position, movement.goal);
        const double seconds = movement.speed > 0 ? distance / movement.speed : 0;
        Require(seconds < END_OF_TIME / 1e9 - movement.time.GetSeconds(),
                m_name,
                " must arrive at (",
                movement.goal.x,
                ", ",
                movement.goal.y,
                ") before 4.6e9 s, but its speed is ",
                movement.speed);
        m_goal =
            movement.speed > 0 ? Waypoint(movement.time + Seconds(seconds), movement.goal) : here;
    }

    /** @return where the node is when, with its last goal */
    std::vector<Waypoint> Finish()
    {
        Add(m_goal);
        return m_way;
    }

  private:
    /** Put the node elsewhere, which takes no more than the last nanosecond before the time. */
    void Put(const Movement& movement)
    {
        if (m_way.back().time < movement.time)
        {
            GoOnUntil(movement.time - NanoSeconds(1));
        }
        m_goal = Waypoint(movement.time, m_way.back().position);
        const auto coordinate = COORDINATES[*movement.axis];
        m_goal.position.*coordinate = movement.goal.*coordinate;
        Add(m_goal);
    }

    /** @return where the node is at a time, which is recorded */
    Waypoint GoOnUntil(Time time)
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

    /** Record where the node is. */
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

    std::string m_name;          //!< for messages
    std::vector<Waypoint> m_way; //!< times increase
    Waypoint m_goal;             //!< where it goes, and when it arrives
};

/**
 * @param path of the file
 * @param id number of the node
 * @param node what the file says of it
 * @return where it is at the beginning
 */
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
                path,
                ": node ",
                id,
                " must have both X_ and Y_ set");
        start.*COORDINATES[axis] =
            node.start[axis].value_or(put ? first->goal.*COORDINATES[axis] : 0);
    }
    return start;
}

} // namespace

PositionTrace
ReadNs2Movements(const std::string& path)
{
    Ns2Reader reader(path);
    std::map<uint32_t, std::vector<Waypoint>> ways;
    for (auto [id, node] : reader.Read())
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

} // namespace ns3::dlearn
