/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-edge-list-reader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-csv-fields.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-text-file.h"

#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** One edge. */
struct Edge
{
    double weight; //!< greater than 0
    size_t line;   //!< where it stands
};

/** Collects the edges of one file. */
class EdgeListReader
{
  public:
    /**
     * @param path the file
     * @param learners number of learners, or 0
     */
    EdgeListReader(const std::string& path, uint32_t learners)
        : m_path(path),
          m_learners(learners)
    {
    }

    /** @return what the file holds */
    DirectedGraph Read()
    {
        std::istringstream text(ReadTextFile(m_path));
        std::string line;
        while (std::getline(text, line))
        {
            ++m_line;
            line.erase(std::min(line.find('#'), line.size()));
            if (line.find_first_not_of(" \t\r") != std::string::npos)
            {
                line.erase(line.find_last_not_of('\r') + 1);
                ReadLine(SplitCsvFields(line));
            }
        }
        Require(!m_edges.empty(), m_path, ": contains no edge");
        DirectedGraph result{Graph(CountLearners()), m_width == 3};
        for (const auto& [ends, edge] : m_edges)
        {
            result.graph.SetWeight(ends.second, ends.first, edge.weight);
        }
        return result;
    }

  private:
    /**
     * Refuse the file unless a condition holds.
     * @param condition what must be true
     * @param column of the line read last
     * @param parts pieces of the message
     */
    template <typename... Parts>
    void Check(bool condition, size_t column, const Parts&... parts) const
    {
        Require(condition, m_path, ":", m_line, ":", column, ": ", parts...);
    }

    /** @param fields of a line that is not empty */
    void ReadLine(const std::vector<CsvField>& fields)
    {
        const size_t width = fields.size();
        const bool isFirst = m_width == 0;
        Check(width == 2 || width == 3,
              fields[std::min<size_t>(width, 4) - 1].column,
              "a line must be sender,receiver or sender,receiver,weight, got ",
              width,
              " fields");
        m_width = isFirst ? width : m_width;
        Check(width == m_width,
              fields.back().column,
              "all lines must have as many fields as the first, ",
              m_width,
              ", got ",
              width);
        if (isFirst && fields[0].text == "sender" && fields[1].text == "receiver" &&
            (width == 2 || fields[2].text == "weight"))
        {
            return; // the header
        }
        const LearnerId sender = ReadLearner(fields[0], "sender");
        const LearnerId receiver = ReadLearner(fields[1], "receiver");
        Check(sender != receiver,
              fields[1].column,
              "an edge must join two different learners, got ",
              sender,
              " twice");
        const double weight = width == 3 ? ReadWeight(fields[2]) : 1;
        const auto [edge, isNew] =
            m_edges.emplace(std::pair(sender, receiver), Edge{weight, m_line});
        Check(isNew,
              fields[0].column,
              "edge from ",
              sender,
              " to ",
              receiver,
              " is there already, in line ",
              edge->second.line);
    }

    /**
     * @param field where a learner stands
     * @param what its part in the edge
     * @return the learner
     */
    LearnerId ReadLearner(const CsvField& field, const char* what) const
    {
        const auto id = ParseWholeNumber(field.text);
        Check(id.has_value(),
              field.column,
              what,
              " must be the number of a learner, got '",
              field.text,
              "'");
        Check(m_learners == 0 || *id < m_learners,
              field.column,
              what,
              " must be a learner from 0 to ",
              m_learners - 1,
              ", got ",
              *id);
        return *id;
    }

    /**
     * @param field where a weight stands
     * @return the weight
     */
    double ReadWeight(const CsvField& field) const
    {
        const auto weight = ParseNumber(field.text);
        Check(weight && *weight > 0,
              field.column,
              "weight must be a number greater than 0, got '",
              field.text,
              "'");
        return *weight;
    }

    /** @return number of learners */
    uint32_t CountLearners() const
    {
        if (m_learners > 0)
        {
            return m_learners;
        }
        // A gap is rather a file that counts from 1 than a learner without neighbours; and one
        // large number must not ask for gigabytes.
        std::map<LearnerId, size_t> lines;
        for (const auto& [ends, edge] : m_edges)
        {
            lines.emplace(ends.first, edge.line);
            lines.emplace(ends.second, edge.line);
        }
        LearnerId next = 0;
        for (const auto& [id, line] : lines)
        {
            Require(id == next,
                    m_path,
                    ":",
                    line,
                    ": learners must be numbered from 0 on without a gap, but there is ",
                    id,
                    " and no ",
                    next);
            ++next;
        }
        return next;
    }

    std::string m_path;                                      //!< for messages
    uint32_t m_learners;                                     //!< number of learners; 0 is not known
    size_t m_line{0};                                        //!< the line read last
    size_t m_width{0};                                       //!< fields a line; 0 before the first
    std::map<std::pair<LearnerId, LearnerId>, Edge> m_edges; //!< by sender and receiver
};

} // namespace

DirectedGraph
ReadEdgeList(const std::string& path, uint32_t learners)
{
    return EdgeListReader(path, learners).Read();
}

} // namespace ns3::dlearn
