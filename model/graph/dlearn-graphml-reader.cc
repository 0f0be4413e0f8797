/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graphml-reader.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-text-file.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits>
#include <memory>
#include <set>

// libxml2 rather than boost::read_graphml, which turns an edge to an unknown node into a new
// node, accepts closing tags that do not match, and knows no line numbers after parsing.

namespace ns3::dlearn
{

namespace
{

/**
 * @param text bytes as libxml2 has them, or nullptr
 * @return the same as a string, without white space at either end
 */
std::string
ToString(const xmlChar* text)
{
    const std::string all = text ? reinterpret_cast<const char*>(text) : "";
    const char* space = " \t\r\n";
    const size_t first = all.find_first_not_of(space);
    return first == std::string::npos ? ""
                                      : all.substr(first, all.find_last_not_of(space) - first + 1);
}

/** Gives memory of libxml2 back. */
struct XmlDeleter
{
    /** @param text a string */
    void operator()(xmlChar* text) const { xmlFree(text); }

    /** @param document a document */
    void operator()(xmlDoc* document) const { xmlFreeDoc(document); }

    /** @param parser a parser */
    void operator()(xmlParserCtxt* parser) const { xmlFreeParserCtxt(parser); }
};

/**
 * @param element an element
 * @param name name of an attribute
 * @return its value; nothing when the element does not have it
 */
std::optional<std::string>
FindAttribute(const xmlNode* element, const char* name)
{
    // libxml2 declares the element writable, but only reads it.
    const std::unique_ptr<xmlChar, XmlDeleter> value(
        xmlGetProp(const_cast<xmlNode*>(element), reinterpret_cast<const xmlChar*>(name)));
    return value ? std::optional<std::string>(ToString(value.get())) : std::nullopt;
}

/**
 * @param element an element
 * @return the text inside it
 */
std::string
GetText(const xmlNode* element)
{
    const std::unique_ptr<xmlChar, XmlDeleter> text(
        xmlNodeGetContent(const_cast<xmlNode*>(element)));
    return ToString(text.get());
}

/**
 * @param parent an element
 * @param name local name, whatever the namespace
 * @return the elements of that name directly below it, in the order of the file
 */
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

/**
 * @param element an element
 * @return name of its namespace; empty when it has none
 */
std::string
GetNamespace(const xmlNode* element)
{
    return element->ns ? ToString(element->ns->href) : "";
}

/** Turns one file into one graph. */
class GraphmlReader
{
  public:
    /**
     * @param path the file, for messages
     * @param keepsDirections whether directions and weights of edges are read, or refused and
     *        ignored
     */
    GraphmlReader(const std::string& path, bool keepsDirections)
        : m_path(path),
          m_keepsDirections(keepsDirections)
    {
    }

    /**
     * @param root the outermost element
     * @return what the file holds
     */
    GraphmlContent Read(const xmlNode* root)
    {
        Check(ToString(root->name) == "graphml", root, "is not GraphML");
        for (const xmlNode* key : FindChildren(root, "key"))
        {
            ReadKey(key);
        }
        CheckChildren(root);
        const auto graphs = FindChildren(root, "graph");
        Check(graphs.size() == 1, root, "must hold one graph, got ", graphs.size());
        const xmlNode* graph = graphs.front();
        const auto hyperedges = FindChildren(graph, "hyperedge");
        Check(hyperedges.empty(),
              hyperedges.empty() ? graph : hyperedges.front(),
              "hyperedges are not supported");

        CheckChildren(graph);
        const std::string direction = FindAttribute(graph, "edgedefault").value_or("undirected");
        m_directed = direction == "directed";
        Check(m_directed || direction == "undirected",
              graph,
              "edgedefault must be directed or undirected, got '",
              direction,
              "'");

        const auto nodes = FindChildren(graph, "node");
        Check(!nodes.empty(), graph, "graph has no nodes");
        GraphmlContent content{Graph(static_cast<uint32_t>(nodes.size()))};
        for (const xmlNode* node : nodes)
        {
            ReadNode(node, content);
        }
        SetPositions(content);
        for (const xmlNode* edge : FindChildren(graph, "edge"))
        {
            ReadEdge(edge, content);
        }
        return content;
    }

  private:
    /** What is read of a node; NaN is unknown. */
    struct NodeData
    {
        std::string label;                                          //!< its name
        double latitude{std::numeric_limits<double>::quiet_NaN()};  //!< in degrees
        double longitude{std::numeric_limits<double>::quiet_NaN()}; //!< in degrees
    };

    /** What is read of an edge. */
    struct EdgeData
    {
        std::optional<double> speed;  //!< in bit/s, more than 0
        std::optional<double> weight; //!< more than 0
    };

    /**
     * Refuse the file unless a condition holds.
     * @param condition what must be true
     * @param where the element at fault
     * @param parts pieces of the message
     */
    template <typename... Parts>
    void Check(bool condition, const xmlNode* where, const Parts&... parts) const
    {
        Require(condition, m_path, ":", xmlGetLineNo(const_cast<xmlNode*>(where)), ": ", parts...);
    }

    /**
     * @param element an element
     * @param name an attribute that it must have
     * @return its value
     */
    std::string GetAttribute(const xmlNode* element, const char* name) const
    {
        const auto value = FindAttribute(element, name);
        Check(value.has_value(), element, ToString(element->name), " has no attribute ", name);
        return *value;
    }

    /**
     * Refuse elements of GraphML's namespace that it does not know, such as misspelt ones, and data
     * that no key declares. Elements of other namespaces are those of tools.
     * @param parent the element around them
     */
    void CheckChildren(const xmlNode* parent) const
    {
        static const std::set<std::string> known{"data",
                                                 "default",
                                                 "desc",
                                                 "edge",
                                                 "endpoint",
                                                 "graph",
                                                 "hyperedge",
                                                 "key",
                                                 "locator",
                                                 "node",
                                                 "port"};
        const std::string target = ToString(parent->name);
        for (const xmlNode* child = parent->children; child; child = child->next)
        {
            if (child->type != XML_ELEMENT_NODE || GetNamespace(child) != GetNamespace(parent))
            {
                continue;
            }
            const std::string name = ToString(child->name);
            Check(known.count(name) > 0, child, "GraphML has no element '", name, "'");
            if (name == "data")
            {
                const std::string key = GetAttribute(child, "key");
                const bool declared =
                    m_declared.count({key, target}) + m_declared.count({key, "all"});
                Check(declared, child, "no key for ", target, " has the id '", key, "' of data");
            }
        }
    }

    /** @param key declaration of an attribute of nodes, edges or else */
    void ReadKey(const xmlNode* key)
    {
        // Nodes and edges have attributes of the same names.
        const std::string target = FindAttribute(key, "for").value_or("all");
        const std::string name = FindAttribute(key, "attr.name").value_or("");
        static const std::set<std::string>
            targets{"all", "edge", "endpoint", "graph", "graphml", "hyperedge", "node", "port"};
        Check(targets.count(target) > 0,
              key,
              "a key must be for one of ",
              JoinNames({targets.begin(), targets.end()}),
              ", got '",
              target,
              "'");
        m_declared.emplace(GetAttribute(key, "id"), target);
        const auto defaults = FindChildren(key, "default");
        if (target == "node" || target == "all")
        {
            m_keys[GetAttribute(key, "id")] = name;
            for (const xmlNode* value : defaults)
            {
                SetNodeData(value, name, m_defaults);
            }
        }
        if ((target == "edge" || target == "all") && IsEdgeData(name))
        {
            m_edgeKeys[GetAttribute(key, "id")] = name;
            for (const xmlNode* value : defaults)
            {
                SetEdgeData(value, name, m_edgeDefaults);
            }
        }
    }

    /**
     * @param name of an edge's attribute
     * @return whether it is one that is read
     */
    bool IsEdgeData(const std::string& name) const
    {
        return name == "LinkSpeedRaw" || (name == "weight" && m_keepsDirections);
    }

    /**
     * @param element where a value stands
     * @param name what it is, for the message
     * @return the number
     */
    double ReadNumber(const xmlNode* element, const std::string& name) const
    {
        const std::string text = GetText(element);
        const auto number = ParseNumber(text);
        Check(number.has_value(), element, name, " must be a number, got '", text, "'");
        return *number;
    }

    /**
     * @param element where the value stands
     * @param name name of the edge's attribute, one that is read
     * @param data set here
     */
    void SetEdgeData(const xmlNode* element, const std::string& name, EdgeData& data) const
    {
        const double value = ReadNumber(element, name);
        Check(value > 0, element, name, " must be greater than 0, got ", value);
        (name == "weight" ? data.weight : data.speed) = value;
    }

    /**
     * @param element where the value stands
     * @param name name of the node's attribute; others than the three used are ignored
     * @param data set here
     */
    void SetNodeData(const xmlNode* element, const std::string& name, NodeData& data) const
    {
        if (name == "label")
        {
            data.label = GetText(element);
        }
        else if (name == "Latitude" || name == "Longitude")
        {
            (name == "Latitude" ? data.latitude : data.longitude) = ReadNumber(element, name);
        }
    }

    /**
     * @param node the next node of the file
     * @param content gets its name and coordinates
     */
    void ReadNode(const xmlNode* node, GraphmlContent& content)
    {
        const std::string id = GetAttribute(node, "id");
        Check(FindChildren(node, "graph").empty(), node, "nested graphs are not supported");
        const auto learner = static_cast<LearnerId>(m_learners.size());
        Check(m_learners.emplace(id, learner).second, node, "node '", id, "' is there twice");

        CheckChildren(node);
        NodeData data = m_defaults;
        for (const xmlNode* value : FindChildren(node, "data"))
        {
            const auto key = m_keys.find(GetAttribute(value, "key"));
            if (key != m_keys.end())
            {
                SetNodeData(value, key->second, data);
            }
        }
        content.graph.names.push_back(data.label.empty() ? id : data.label);
        content.coordinates.emplace_back();
        if (!std::isnan(data.longitude) && !std::isnan(data.latitude))
        {
            content.coordinates.back() = {data.longitude, data.latitude};
        }
    }

    /** @param content its graph gets positions if every node has coordinates */
    static void SetPositions(GraphmlContent& content)
    {
        auto& positions = content.graph.positions;
        for (const auto& place : content.coordinates)
        {
            if (!place)
            {
                positions.clear();
                return;
            }
            positions.push_back(*place);
        }
    }

    /**
     * @param edge an edge
     * @param content gets it
     */
    void ReadEdge(const xmlNode* edge, GraphmlContent& content)
    {
        CheckChildren(edge);
        const std::string directed =
            FindAttribute(edge, "directed").value_or(m_directed ? "true" : "false");
        const bool isDirected = directed == "true" || directed == "1";
        Check(isDirected || directed == "false" || directed == "0",
              edge,
              "directed must be true or false, got '",
              directed,
              "'");
        Check(!isDirected || m_keepsDirections, edge, "directed edges are not supported");
        const LearnerId source = FindNode(edge, "source");
        const LearnerId target = FindNode(edge, "target");
        EdgeData data = m_edgeDefaults;
        for (const xmlNode* value : FindChildren(edge, "data"))
        {
            const auto key = m_edgeKeys.find(GetAttribute(value, "key"));
            if (key != m_edgeKeys.end())
            {
                SetEdgeData(value, key->second, data);
            }
        }
        if (source == target)
        {
            ++content.selfLoops;
            return;
        }
        Check(content.edges.empty() || content.weighted == data.weight.has_value(),
              edge,
              "either all edges must have a weight or none");
        content.weighted = data.weight.has_value();
        content.edges.push_back({source, target, data.speed});

        const double weight = data.weight.value_or(1);
        const bool isNew = AddMessage(edge, source, target, weight, content.graph);
        const bool isNewBack =
            !isDirected && AddMessage(edge, target, source, weight, content.graph);
        content.parallelEdges += !isNew && !isNewBack;
    }

    /**
     * @param edge an edge
     * @param sender one of its ends
     * @param receiver the other one
     * @param weight that the receiver gives to the sender
     * @param graph gets it
     * @return whether it was not there yet
     */
    bool AddMessage(const xmlNode* edge,
                    LearnerId sender,
                    LearnerId receiver,
                    double weight,
                    Graph& graph) const
    {
        const double present = graph.GetWeight(receiver, sender);
        Check(present == 0 || present == weight,
              edge,
              "an edge from '",
              graph.names[sender],
              "' to '",
              graph.names[receiver],
              "' is there already, with weight ",
              present);
        graph.SetWeight(receiver, sender, weight);
        return present == 0;
    }

    /**
     * @param edge an edge
     * @param end "source" or "target"
     * @return the learner at that end
     */
    LearnerId FindNode(const xmlNode* edge, const char* end) const
    {
        const auto learner = m_learners.find(GetAttribute(edge, end));
        Check(learner != m_learners.end(),
              edge,
              "edge to unknown node '",
              GetAttribute(edge, end),
              "'");
        return learner->second;
    }

    using Declaration = std::pair<std::string, std::string>; //!< id of a key, what it is for

    std::string m_path;                            //!< for messages
    std::set<Declaration> m_declared;              //!< all keys
    bool m_keepsDirections;                        //!< whether directions and weights are read
    std::map<std::string, std::string> m_keys;     //!< id of a key of nodes -> its name
    std::map<std::string, LearnerId> m_learners;   //!< id of a node -> learner
    NodeData m_defaults;                           //!< of nodes that do not say
    std::map<std::string, std::string> m_edgeKeys; //!< id of a key of edges -> its name
    EdgeData m_edgeDefaults;                       //!< of edges that do not say
    bool m_directed{false};                        //!< whether edges are directed by default
};

/**
 * @param path a file
 * @return its document, never nullptr
 */
std::unique_ptr<xmlDoc, XmlDeleter>
ParseFile(const std::string& path)
{
    const std::string text = ReadTextFile(path);
    Require(text.size() <= std::numeric_limits<int>::max(), path, ": is too large");
    const std::unique_ptr<xmlParserCtxt, XmlDeleter> parser(xmlNewParserCtxt());
    // Keep the first error, as those after it tend to follow from it. libxml2 passes it as const
    // since 2.12 only, hence the auto.
    std::string firstError;
    parser->_private = &firstError;
    parser->sax->serror = [](void* context, auto* error) {
        auto& first = *static_cast<std::string*>(static_cast<xmlParserCtxt*>(context)->_private);
        if (first.empty() && error->level >= XML_ERR_ERROR)
        {
            first = std::to_string(error->line) + ":" + std::to_string(error->int2) +
                    ": is not XML: " + error->message;
            std::replace(first.begin(), first.end(), '\n', ' ');
        }
    };
    // No network, as a file may name a remote document type.
    const int options = XML_PARSE_NOWARNING | XML_PARSE_NONET | XML_PARSE_BIG_LINES;
    std::unique_ptr<xmlDoc, XmlDeleter> document(xmlCtxtReadMemory(parser.get(),
                                                                   text.data(),
                                                                   static_cast<int>(text.size()),
                                                                   path.c_str(),
                                                                   nullptr,
                                                                   options));
    Require(document != nullptr,
            path,
            ":",
            ToString(reinterpret_cast<const xmlChar*>(firstError.c_str())));
    // libxml2 bounds what it expands while it parses, but not what it expands later.
    Require(!document->intSubset || !document->intSubset->entities,
            path,
            ": must not declare entities, whose texts could fill the memory");
    return document;
}

} // namespace

GraphmlContent
ReadGraphml(const std::string& path)
{
    const auto document = ParseFile(path);
    return GraphmlReader(path, false).Read(xmlDocGetRootElement(document.get()));
}

GraphmlContent
ReadDirectedGraphml(const std::string& path)
{
    const auto document = ParseFile(path);
    return GraphmlReader(path, true).Read(xmlDocGetRootElement(document.get()));
}

} // namespace ns3::dlearn
