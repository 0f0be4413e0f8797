/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ns2-movements.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-line-reader.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-simulated-time.h"

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

/** That a node goes somewhere from a time on. */
struct Movement
{
    Time time;    //!< when it begins
    Vector goal;  //!< in metres
    double speed; //!< in m/s; 0: stops
};

/** What a file says of a node. */
struct NodeMovements
{
    std::optional<double> x;         //!< at the beginning, in metres
    std::optional<double> y;         //!< likewise
    std::vector<Movement> movements; //!< in the order of the file
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
        std::replace(text.begin(), text.end(), '"', ' ');
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
        const bool timed = words.size() == 8 && words[0].rfind("$ns", 0) == 0 && words[1] == "at" &&
                           words[4] == "setdest";
        Require(timed || (words.size() == 4 && words[1] == "set"),
                m_reader.GetPlace(),
                ": must be '$node_(N) set X_ VALUE' or '$ns_ at TIME \"$node_(N) setdest X Y "
                "SPEED\"', got '",
                line.substr(0, 60),
                "'");
        if (timed)
        {
            AddMovement(words);
        }
        else
        {
            SetStart(words);
        }
    }

    /** Take the words of a line with a start. */
    void SetStart(const std::vector<std::string>& words)
    {
        NodeMovements& node = m_nodes[ReadNode(words[0])];
        const double value = ReadNumber(words[2], words[3]);
        const bool known = words[2] == "X_" || words[2] == "Y_" || words[2] == "Z_";
        Require(known && (words[2] != "Z_" || value == 0),
                m_reader.GetPlace(),
                ": can set X_, Y_ and a Z_ of 0, got ",
                words[2].substr(0, 40),
                " ",
                words[3].substr(0, 40));
        if (words[2] != "Z_")
        {
            auto& coordinate = words[2] == "X_" ? node.x : node.y;
            Require(!coordinate, m_reader.GetPlace(), ": ", words[2], " is set twice");
            coordinate = value;
        }
    }

    /** Take the words of a line with a movement. */
    void AddMovement(const std::vector<std::string>& words)
    {
        const double time = ReadNumber("time", words[2]);
        Require(time >= 0 && time < END_OF_TIME / 1e9,
                m_reader.GetPlace(),
                ": time must be from 0 to below 4.6e9, got ",
                words[2].substr(0, 40));
        const Vector goal(ReadNumber("x", words[5]), ReadNumber("y", words[6]), 0);
        const double speed = ReadNumber("speed", words[7]);
        Require(speed >= 0,
                m_reader.GetPlace(),
                ": speed must be at least 0, got ",
                words[7].substr(0, 40));
        m_nodes[ReadNode(words[3])].movements.push_back({Seconds(time), goal, speed});
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

    /** Have the node go elsewhere. */
    void Move(const Movement& movement)
    {
        const Waypoint here = GoOnUntil(movement.time);
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
    /** @return where the node is at a time, which is recorded */
    Waypoint GoOnUntil(Time time)
    {
        const Waypoint from = m_way.back();
        Vector position = m_goal.position;
        if (m_goal.time > time)
        {
            const double share =
                (time - from.time).GetSeconds() / (m_goal.time - from.time).GetSeconds();
            position = from.position + Vector(share * (m_goal.position.x - from.position.x),
                                              share * (m_goal.position.y - from.position.y),
                                              0);
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

} // namespace

PositionTrace
ReadNs2Movements(const std::string& path)
{
    Ns2Reader reader(path);
    std::map<uint32_t, std::vector<Waypoint>> ways;
    for (const auto& [id, node] : reader.Read())
    {
        Require(node.x && node.y, path, ": node ", id, " must have both X_ and Y_ set");
        std::vector<Movement> movements = node.movements;
        std::stable_sort(movements.begin(), movements.end(), [](const auto& a, const auto& b) {
            return a.time < b.time;
        });
        NodeTracker tracker(path + ": node " + std::to_string(id), Vector(*node.x, *node.y, 0));
        for (const Movement& movement : movements)
        {
            tracker.Move(movement);
        }
        ways[id] = tracker.Finish();
    }
    Require(!ways.empty(), path, ": must have at least one node");
    return {path, std::move(ways)};
}

} // namespace ns3::dlearn
