/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph-reader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <memory>
#include <sstream>

// libxml2 rather than boost::read_graphml, which turns an edge to an unknown node into a new
// node, accepts closing tags that do not match, and knows no line numbers after parsing.

namespace ns3::dlearn
{

namespace
{

class EdgeListReader
{
  public:
    EdgeListReader(const std::string& path, uint32_t learners)
        : m_path(path),
          m_learners(learners)
    {
    }

    DirectedGraph Read()
    {
        std::istringstream text(ReadTextFile(m_path));
        std::string line;
        while (std::getline(text, line))
        {
            ++m_line;
            line.erase(std::min(line.find('#'), line.size()));
            line.erase(line.find_last_not_of('\r') + 1);
            if (line.find_first_not_of(" \t\r") != std::string::npos)
            {
                ReadLine(SplitCsvFields(line));
            }
        }
        Require(!m_edges.empty(), "{}: contains no edge", m_path);
        DirectedGraph result{Graph(CountLearners()), m_width == 3};
        for (const auto& [ends, edge] : m_edges)
        {
            result.graph.SetWeight(ends.second, ends.first, edge.weight);
        }
        return result;
    }

  private:
    struct Edge
    {
        double weight; //!< greater than 0
        size_t line;   //!< where it stands
    };

    /** Refuse the file, at a column of the line read last, unless a condition holds. */
    template <typename... Parts>
    void Check(bool condition, size_t column, const Parts&... message) const
    {
        if (!condition)
        {
            Require(false, FormatText("{}:{}:{}: ", m_path, m_line, column), message...);
        }
    }

    void ReadLine(const std::vector<CsvField>& fields)
    {
        const size_t width = fields.size();
        const bool isFirst = m_width == 0;
        Check(width == 2 || width == 3,
              fields[std::min<size_t>(width, 4) - 1].column,
              "a line must be sender,receiver or sender,receiver,weight, got {} fields",
              width);
        m_width = isFirst ? width : m_width;
        Check(width == m_width,
              fields.back().column,
              "all lines must have as many fields as the first, {}, got {}",
              m_width,
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
              "an edge must join two different learners, got {} twice",
              sender);
        const double weight = width == 3 ? ReadWeight(fields[2]) : 1;
        const auto [edge, isNew] =
            m_edges.emplace(std::pair(sender, receiver), Edge{weight, m_line});
        Check(isNew,
              fields[0].column,
              "edge from {} to {} is there already, in line {}",
              sender,
              receiver,
              edge->second.line);
    }

    LearnerId ReadLearner(const CsvField& field, const char* end) const
    {
        const auto id = ParseWholeNumber(field.text);
        Check(id.has_value(),
              field.column,
              "{} must be the number of a learner, got '{}'",
              end,
              field.text);
        Check(m_learners == 0 || *id < m_learners,
              field.column,
              "{} must be a learner from 0 to {}, got {}",
              end,
              m_learners - 1,
              *id);
        return *id;
    }

    double ReadWeight(const CsvField& field) const
    {
        const auto weight = ParseNumber(field.text);
        Check(weight && *weight > 0,
              field.column,
              "weight must be a number greater than 0, got '{}'",
              field.text);
        return *weight;
    }

    uint32_t CountLearners() const
    {
        if (m_learners > 0)
        {
            return m_learners;
        }
        // A gap is probably a file that counts from 1, not a learner without neighbours.
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
                    "{}:{}: learners must be numbered from 0 on without a gap, but there is {} and "
                    "no {}",
                    m_path,
                    line,
                    id,
                    next);
            ++next;
        }
        return next;
    }

    std::string m_path;                                      //!< for messages
    uint32_t m_learners;                                     //!< their number; 0: not known
    size_t m_line{0};                                        //!< the line read last
    size_t m_width{0};                                       //!< fields a line; 0 before the first
    std::map<std::pair<LearnerId, LearnerId>, Edge> m_edges; //!< by sender and receiver
};

/** @return text of libxml2, or "" for null, without white space at either end */
std::string
ToString(const xmlChar* text)
{
    const std::string all = text ? reinterpret_cast<const char*>(text) : "";
    const char* space = " \t\r\n";
    const size_t first = all.find_first_not_of(space);
    return first == std::string::npos ? ""
                                      : all.substr(first, all.find_last_not_of(space) - first + 1);
}

struct XmlDeleter
{
    void operator()(xmlChar* text) const { xmlFree(text); }

    void operator()(xmlDoc* document) const { xmlFreeDoc(document); }

    void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};

std::optional<std::string>
FindAttribute(const xmlNode* element, const char* name)
{
    // libxml2 declares the element writable, but only reads it.
    const std::unique_ptr<xmlChar, XmlDeleter> value(
        xmlGetProp(const_cast<xmlNode*>(element), reinterpret_cast<const xmlChar*>(name)));
    return value ? std::optional<std::string>(ToString(value.get())) : std::nullopt;
}

std::string
GetText(const xmlNode* element)
{
    const std::unique_ptr<xmlChar, XmlDeleter> text(
        xmlNodeGetContent(const_cast<xmlNode*>(element)));
    return ToString(text.get());
}

/** @return the children of that name, in any namespace */
std::vector<const xmlNode*>
FindChildren(const xmlNode* parent, const std::string& name)
{
    std::vector<const xmlNode*> children;
    for (const xmlNode* child = parent->children; child; child = child->next)
    {
        if (child->type == XML_ELEMENT_NODE && ToString(child->name) == name)
        {
            children.push_back(child);
        }
    }
    return children;
}

class GraphmlReader
{
  public:
    GraphmlReader(const std::string& path, bool keepsDirections)
        : m_path(path),
          m_keepsDirections(keepsDirections)
    {
    }

    GraphmlContent Read(const xmlNode* root)
    {
        Check(ToString(root->name) == "graphml", root, "is not GraphML");
        for (const xmlNode* key : FindChildren(root, "key"))
        {
            const auto defaults = FindChildren(key, "default");
            m_keys.push_back({GetAttribute(key, "id"),
                              FindAttribute(key, "for").value_or("all"),
                              FindAttribute(key, "attr.name").value_or(""),
                              defaults.empty() ? nullptr : defaults.back()});
        }
        const auto graphs = FindChildren(root, "graph");
        Check(graphs.size() == 1, root, "must hold one graph, got {}", graphs.size());
        const xmlNode* graph = graphs.front();
        const auto hyperedges = FindChildren(graph, "hyperedge");
        Check(hyperedges.empty(),
              hyperedges.empty() ? graph : hyperedges.front(),
              "hyperedges are not supported");
        const std::string direction = FindAttribute(graph, "edgedefault").value_or("undirected");
        m_directed = direction == "directed";
        Check(m_directed || direction == "undirected",
              graph,
              "edgedefault must be directed or undirected, got '{}'",
              direction);
        const auto nodes = FindChildren(graph, "node");
        Check(!nodes.empty(), graph, "graph has no nodes");
        GraphmlContent content{Graph(static_cast<uint32_t>(nodes.size()))};
        for (const xmlNode* node : nodes)
        {
            ReadNode(node, content);
        }
        const auto& places = content.coordinates;
        if (std::all_of(places.begin(), places.end(), [](const auto& place) {
                return place.has_value();
            }))
        {
            for (const auto& place : places)
            {
                content.graph.positions.push_back(*place);
            }
        }
        for (const xmlNode* edge : FindChildren(graph, "edge"))
        {
            ReadEdge(edge, content);
        }
        return content;
    }

  private:
    struct Key
    {
        std::string id;           //!< of the key, to which data refer
        std::string target;       //!< name of elements that may have the attribute, or "all"
        std::string name;         //!< of the attribute
        const xmlNode* byDefault; //!< value of elements without the attribute; or null
    };

    /** Values of the attributes of an element, by name. */
    using Values = std::map<std::string, const xmlNode*>;

    /** Refuse the file, at an element, unless a condition holds. */
    template <typename... Parts>
    void Check(bool condition, const xmlNode* where, const Parts&... message) const
    {
        if (!condition)
        {
            const auto line = xmlGetLineNo(const_cast<xmlNode*>(where));
            Require(false, FormatText("{}:{}: ", m_path, line), message...);
        }
    }

    std::string GetAttribute(const xmlNode* element, const char* name) const
    {
        const auto value = FindAttribute(element, name);
        Check(value.has_value(), element, "{} has no attribute {}", ToString(element->name), name);
        return *value;
    }

    Values FindValues(const xmlNode* element) const
    {
        const std::string target = ToString(element->name);
        const auto isForTarget = [&](const Key& key) {
            return key.target == target || key.target == "all";
        };
        Values values;
        for (const Key& key : m_keys)
        {
            if (isForTarget(key) && key.byDefault)
            {
                values[key.name] = key.byDefault;
            }
        }
        for (const xmlNode* value : FindChildren(element, "data"))
        {
            const std::string id = GetAttribute(value, "key");
            const auto key = std::find_if(m_keys.begin(), m_keys.end(), [&](const Key& known) {
                return known.id == id && isForTarget(known);
            });
            Check(key != m_keys.end(), value, "no key for {} has the id '{}' of data", target, id);
            values[key->name] = value;
        }
        return values;
    }

    std::optional<double> FindNumber(const Values& values, const std::string& name) const
    {
        const auto value = values.find(name);
        if (value == values.end())
        {
            return std::nullopt;
        }
        const std::string text = GetText(value->second);
        const auto number = ParseNumber(text);
        Check(number.has_value(), value->second, "{} must be a number, got '{}'", name, text);
        return number;
    }

    std::optional<double> FindPositive(const Values& values, const std::string& name) const
    {
        const auto number = FindNumber(values, name);
        const xmlNode* where = number ? values.at(name) : nullptr;
        Check(!number || *number > 0,
              where,
              "{} must be greater than 0, got {}",
              name,
              number.value_or(0));
        return number;
    }

    void ReadNode(const xmlNode* node, GraphmlContent& content)
    {
        const std::string id = GetAttribute(node, "id");
        Check(FindChildren(node, "graph").empty(), node, "nested graphs are not supported");
        const auto learner = static_cast<LearnerId>(m_learners.size());
        Check(m_learners.emplace(id, learner).second, node, "node '{}' is there twice", id);
        const Values values = FindValues(node);
        const auto label = values.find("label");
        const std::string name = label == values.end() ? "" : GetText(label->second);
        content.graph.names.push_back(name.empty() ? id : name);
        content.coordinates.emplace_back();
        const auto longitude = FindNumber(values, "Longitude");
        const auto latitude = FindNumber(values, "Latitude");
        if (longitude && latitude)
        {
            content.coordinates.back() = {*longitude, *latitude};
        }
    }

    void ReadEdge(const xmlNode* edge, GraphmlContent& content)
    {
        const std::string directed =
            FindAttribute(edge, "directed").value_or(m_directed ? "true" : "false");
        const bool isDirected = directed == "true" || directed == "1";
        Check(isDirected || directed == "false" || directed == "0",
              edge,
              "directed must be true or false, got '{}'",
              directed);
        Check(!isDirected || m_keepsDirections, edge, "directed edges are not supported");
        const LearnerId source = FindNode(edge, "source");
        const LearnerId target = FindNode(edge, "target");
        const Values values = FindValues(edge);
        const auto speed = FindPositive(values, "LinkSpeedRaw");
        const auto weight =
            m_keepsDirections ? FindPositive(values, "weight") : std::optional<double>();
        if (source == target)
        {
            return;
        }
        Check(content.edges.empty() || content.weighted == weight.has_value(),
              edge,
              "either all edges must have a weight or none");
        content.weighted = weight.has_value();
        content.edges.push_back({source, target, speed});
        AddMessage(edge, source, target, weight.value_or(1), content.graph);
        if (!isDirected)
        {
            AddMessage(edge, target, source, weight.value_or(1), content.graph);
        }
    }

    void AddMessage(const xmlNode* edge,
                    LearnerId sender,
                    LearnerId receiver,
                    double weight,
                    Graph& graph) const
    {
        const double present = graph.GetWeight(receiver, sender);
        Check(present == 0 || present == weight,
              edge,
              "an edge from '{}' to '{}' is there already, with weight {}",
              graph.names[sender],
              graph.names[receiver],
              present);
        graph.SetWeight(receiver, sender, weight);
    }

    LearnerId FindNode(const xmlNode* edge, const char* end) const
    {
        const std::string id = GetAttribute(edge, end);
        const auto learner = m_learners.find(id);
        Check(learner != m_learners.end(), edge, "edge to unknown node '{}'", id);
        return learner->second;
    }

    std::string m_path;                          //!< for messages
    bool m_keepsDirections;                      //!< whether directions and weights are read
    std::vector<Key> m_keys;                     //!< in the order of the file
    std::map<std::string, LearnerId> m_learners; //!< by id of the node
    bool m_directed{false};                      //!< whether edges are directed by default
};

GraphmlContent
ReadGraphmlFile(const std::string& path, bool keepsDirections)
{
    const std::string text = ReadTextFile(path);
    const std::unique_ptr<xmlParserCtxt, XmlDeleter> parser(xmlNewParserCtxt());
    // Keep the first error, which causes most others. It is const since libxml2 2.12, hence auto.
    std::string firstError;
    parser->_private = &firstError;
    parser->sax->serror = [](void* context, auto* error) {
        auto& first = *static_cast<std::string*>(static_cast<xmlParserCtxt*>(context)->_private);
        if (first.empty() && error->level >= XML_ERR_ERROR)
        {
            first = FormatText("{}:{}: is not XML: {}", error->line, error->int2, error->message);
            std::replace(first.begin(), first.end(), '\n', ' ');
        }
    };
    const int options = XML_PARSE_NOWARNING | XML_PARSE_NONET | XML_PARSE_BIG_LINES;
    const std::unique_ptr<xmlDoc, XmlDeleter> document(
        xmlCtxtReadMemory(parser.get(),
                          text.data(),
                          static_cast<int>(text.size()),
                          path.c_str(),
                          nullptr,
                          options));
    Require(document != nullptr,
            "{}:{}",
            path,
            ToString(reinterpret_cast<const xmlChar*>(firstError.c_str())));
    return GraphmlReader(path, keepsDirections).Read(xmlDocGetRootElement(document.get()));
}

} // namespace

DirectedGraph
ReadEdgeList(const std::string& path, uint32_t learners)
{
    return EdgeListReader(path, learners).Read();
}

GraphmlContent
ReadGraphml(const std::string& path)
{
    return ReadGraphmlFile(path, false);
}

GraphmlContent
ReadDirectedGraphml(const std::string& path)
{
    return ReadGraphmlFile(path, true);
}

} // namespace ns3::dlearn
