/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/attribute.h"
#include "ns3/boolean.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

/**
 * @file
 * @ingroup dlearn
 * The tables of types, attributes and trace sources in the manual are those of the TypeIds, and
 * that of the columns of rounds.csv is that of the program.
 *
 * A table stands between two comments of reStructuredText. The first says what the table holds, the
 * second is ".. end":
 *
 *     .. attributes: Dola             all attributes that these types add to those of their parents
 *     .. traces: LearnerApplication   likewise their trace sources
 *     .. types:                       the types that a user may choose for each of these
 * interfaces, Task: What is learned.       each with the question that it answers
 *     .. columns: rounds.csv          the columns of this file
 *
 * With DLEARN_UPDATE_MANUAL in the environment this test writes the tables before it compares them.
 * It needs the folder of the manual, DLEARN_MANUAL, which ctest sets.
 */

namespace
{

using namespace ns3;

/** What all types of this module begin with. */
const std::string PREFIX = "ns3::dlearn::";

/**
 * @param name of a type, of an attribute or in a text
 * @return it without the module's namespace
 */
std::string
Shorten(std::string name)
{
    for (std::size_t at = name.find(PREFIX); at != std::string::npos; at = name.find(PREFIX))
    {
        name.erase(at, PREFIX.size());
    }
    return name;
}

/**
 * @param text plain text
 * @return reStructuredText that reads so
 */
std::string
Escape(const std::string& text)
{
    std::string escaped;
    for (const char c : Shorten(text))
    {
        if (c == '\\' || c == '*' || c == '`' || c == '|')
        {
            escaped += '\\';
        }
        escaped += c;
    }
    return escaped;
}

/**
 * @param time any time
 * @return it in the largest unit of which it is a multiple: "100 ms"
 */
std::string
FormatTime(const Time& time)
{
    const int64_t ns = time.GetNanoSeconds();
    for (const auto& [size, unit] : {std::pair{1000000000, " s"}, {1000000, " ms"}, {1000, " us"}})
    {
        if (ns % size == 0)
        {
            return std::to_string(ns / size) + unit;
        }
    }
    return std::to_string(ns) + " ns";
}

/**
 * @param attribute an attribute
 * @return its default as a user would write it
 */
std::string
FormatDefault(const TypeId::AttributeInformation& attribute)
{
    if (const auto time = DynamicCast<const TimeValue>(attribute.initialValue))
    {
        return FormatTime(time->Get());
    }
    if (const auto number = DynamicCast<const DoubleValue>(attribute.initialValue))
    {
        std::ostringstream text;
        text << number->Get();
        return text.str();
    }
    if (const auto flag = DynamicCast<const BooleanValue>(attribute.initialValue))
    {
        return flag->Get() ? "true" : "false";
    }
    if (DynamicCast<const PointerValue>(attribute.initialValue))
    {
        return "";
    }
    return attribute.initialValue->SerializeToString(attribute.checker);
}

/**
 * @param attribute an attribute
 * @return the type of its value: "Double", "Time", "TypeId"; of an object its base
 */
std::string
FormatValueType(const TypeId::AttributeInformation& attribute)
{
    std::string name = dlearn::GetValueKind(*attribute.checker);
    if (name == "PointerValue")
    {
        name = attribute.checker->GetUnderlyingTypeInformation(); // "ns3::Ptr< ns3::... >"
        name.erase(0, name.find('<') + 2);
        return Shorten(name.substr(0, name.find(' ')));
    }
    return name.substr(0, name.rfind("Value"));
}

/**
 * @param title of the table, or empty
 * @param rows the first one is the header
 * @return a list-table
 */
std::string
FormatTable(const std::string& title, const std::vector<std::vector<std::string>>& rows)
{
    std::string text = ".. list-table::" + (title.empty() ? "" : " " + title);
    text += "\n   :header-rows: 1\n\n";
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            text += std::string(i == 0 ? "   * -" : "     -");
            text += (row[i].empty() ? "" : " " + row[i]) + "\n";
        }
    }
    return text + "\n";
}

/**
 * @param type a type
 * @return the table of the attributes that it adds to those of its parent
 */
std::string
FormatAttributes(const TypeId& type)
{
    std::map<std::string, std::vector<std::string>> rows;
    for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation attribute = type.GetAttribute(i);
        rows[attribute.name] = {attribute.name,
                                FormatValueType(attribute),
                                Escape(FormatDefault(attribute)),
                                Escape(attribute.help)};
    }
    std::vector<std::vector<std::string>> table{{"Attribute", "Type", "Default", "Description"}};
    for (const auto& [name, row] : rows)
    {
        table.push_back(row);
    }
    return FormatTable(Shorten(type.GetName()), table);
}

/**
 * @param type a type
 * @return the table of the trace sources that it adds to those of its parent
 */
std::string
FormatTraces(const TypeId& type)
{
    std::vector<std::vector<std::string>> table{{"Trace source", "Fires when", "Callback"}};
    for (std::size_t i = 0; i < type.GetTraceSourceN(); ++i)
    {
        const TypeId::TraceSourceInformation source = type.GetTraceSource(i);
        table.push_back({source.name, Escape(source.help), Shorten(source.callback)});
    }
    return FormatTable(Shorten(type.GetName()), table);
}

/** @return the table of the columns of rounds.csv */
std::string
FormatColumns()
{
    std::vector<std::vector<std::string>> table{{"Column", "Unit", "Meaning"}};
    for (const dlearn::RoundsColumn& column : dlearn::GetRoundsColumns())
    {
        table.push_back({"``" + column.name + "``", column.unit, column.meaning});
    }
    return FormatTable("", table);
}

/** @return all types of this module, by name without its namespace */
std::map<std::string, TypeId>
ListTypes()
{
    std::map<std::string, TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.GetName().compare(0, PREFIX.size(), PREFIX) == 0)
        {
            types[Shorten(type.GetName())] = type;
        }
    }
    return types;
}

/**
 * @param path of a file
 * @return its text
 */
std::string
ReadText(const std::filesystem::path& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/**
 * @param text with line ends and several blanks in a row
 * @return it with one blank each
 */
std::string
JoinBlanks(const std::string& text)
{
    static const std::regex BLANKS(R"(\s+)");
    return std::regex_replace(text, BLANKS, " ");
}

/**
 * @param folder with the sources of tests
 * @return the tests, as "Suite.Name"
 */
std::set<std::string>
ListTests(const std::filesystem::path& folder)
{
    static const std::regex PATTERN(R"(TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\))");
    std::set<std::string> tests;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    {
        if (entry.path().extension() == ".cc")
        {
            const std::string text = ReadText(entry.path());
            const std::sregex_iterator end;
            for (std::sregex_iterator match(text.begin(), text.end(), PATTERN); match != end;
                 ++match)
            {
                tests.insert(match->str(1) + "." + match->str(2));
            }
        }
    }
    return tests;
}

/**
 * @param folders with headers
 * @return the parameters of the callbacks of trace sources, by their names without a class
 */
std::map<std::string, std::set<std::string>>
ListSignatures(const std::vector<std::filesystem::path>& folders)
{
    static const std::regex PATTERN(R"((?:using\s+|typedef\s+void\s*\(\*)(\w+TracedCallback))"
                                    R"((?:\s*=\s*void\s*\(\*)?\)\s*\(([^)]*)\))");
    std::map<std::string, std::set<std::string>> signatures;
    for (const auto& folder : folders)
    {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        {
            const std::string text = entry.path().extension() == ".h" ? ReadText(entry.path()) : "";
            const std::sregex_iterator end;
            for (std::sregex_iterator match(text.begin(), text.end(), PATTERN); match != end;
                 ++match)
            {
                signatures[match->str(1)].insert(JoinBlanks(match->str(2)));
            }
        }
    }
    return signatures;
}

/** The manual: its pages, and what their tables hold. */
class Manual : public testing::Test
{
  protected:
    void SetUp() override
    {
        const char* folder = std::getenv("DLEARN_MANUAL");
        if (folder == nullptr)
        {
            GTEST_SKIP() << "needs DLEARN_MANUAL, the folder of the manual";
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        {
            if (entry.path().extension() == ".rst")
            {
                m_pages[entry.path()] = ReadText(entry.path());
                m_wanted[entry.path()] = Renew(m_pages[entry.path()]);
            }
        }
        ASSERT_FALSE(m_pages.empty()) << "no page in " << folder;
    }

    std::map<std::string, TypeId> m_types{ListTypes()};   //!< all types, by short name
    std::map<std::string, std::string> m_pages;           //!< the pages, by path
    std::map<std::string, std::string> m_wanted;          //!< the pages as they should be
    std::map<std::string, std::vector<std::string>> m_in; //!< by kind of table, the types in them

  private:
    /**
     * @param name short name of a type, from a page
     * @return the type
     */
    const TypeId& Find(const std::string& name)
    {
        const auto found = m_types.find(name);
        if (found == m_types.end())
        {
            ADD_FAILURE() << "the manual names the type " << name << ", which there is not";
            return m_types.begin()->second;
        }
        return found->second;
    }

    /**
     * @param names of types, separated by spaces
     * @param kind "attributes" or "traces"
     * @return their tables
     */
    std::string FormatAll(const std::string& names, const std::string& kind)
    {
        std::string tables;
        std::istringstream words(names);
        for (std::string name; words >> name;)
        {
            m_in[kind].push_back(name);
            tables += kind == "traces" ? FormatTraces(Find(name)) : FormatAttributes(Find(name));
        }
        return tables;
    }

    /**
     * @param lines "   Task: What is learned." and so on
     * @return the table of the types that a user may choose for each interface
     */
    std::string FormatTypes(const std::vector<std::string>& lines)
    {
        std::vector<std::vector<std::string>> table{{"Interface", "Question", "Types"}};
        for (const std::string& line : lines)
        {
            const std::size_t colon = line.find(": ");
            const std::string name = line.substr(3, colon - 3);
            std::string choices;
            for (const auto& [choice, type] : m_types)
            {
                if (type.HasConstructor() && type.IsChildOf(Find(name)))
                {
                    m_in["types"].push_back(choice);
                    choices += (choices.empty() ? "" : ", ") + choice;
                }
            }
            table.push_back({name, line.substr(colon + 2), choices});
        }
        return FormatTable("", table);
    }

    /**
     * @param page text of a page
     * @return it with the tables that it should have
     */
    std::string Renew(const std::string& page)
    {
        std::istringstream input(page);
        std::string renewed;
        for (std::string line; std::getline(input, line);)
        {
            renewed += line + "\n";
            const std::size_t colon = line.find(':');
            const std::string kind = line.substr(0, colon);
            if (kind != ".. attributes" && kind != ".. traces" && kind != ".. types" &&
                kind != ".. columns")
            {
                continue;
            }
            std::vector<std::string> interfaces;
            std::string old;
            while (std::getline(input, old) && !old.empty())
            {
                interfaces.push_back(old);
                renewed += old + "\n";
            }
            renewed += "\n";
            renewed += kind == ".. types"     ? FormatTypes(interfaces)
                       : kind == ".. columns" ? FormatColumns()
                                              : FormatAll(line.substr(colon + 1), kind.substr(3));
            while (old != ".. end" && std::getline(input, old))
            {
            }
            renewed += ".. end\n";
        }
        return renewed;
    }
};

TEST_F(Manual, HasTheTablesOfTheTypes)
{
    for (const auto& [path, wanted] : m_wanted)
    {
        if (std::getenv("DLEARN_UPDATE_MANUAL") != nullptr && m_pages[path] != wanted)
        {
            std::ofstream(path) << wanted;
        }
        else
        {
            const auto [is, should] = std::mismatch(m_pages[path].begin(),
                                                    m_pages[path].end(),
                                                    wanted.begin(),
                                                    wanted.end());
            EXPECT_TRUE(m_pages[path] == wanted)
                << path << ": run with DLEARN_UPDATE_MANUAL=1; it has\n"
                << std::string(is, m_pages[path].end()).substr(0, 200) << "\nwhere the types say\n"
                << std::string(should, wanted.cend()).substr(0, 200);
        }
    }
}

TEST_F(Manual, HasEachAttributeAndTraceSourceOnce)
{
    for (const auto& [name, type] : m_types)
    {
        const auto& with = m_in["attributes"];
        EXPECT_EQ(std::count(with.begin(), with.end(), name), type.GetAttributeN() > 0)
            << "tables of the attributes of " << name;
        const auto& traced = m_in["traces"];
        EXPECT_EQ(std::count(traced.begin(), traced.end(), name), type.GetTraceSourceN() > 0)
            << "tables of the trace sources of " << name;
    }
}

// The table of the signatures is written by hand, as the types know only the names.
TEST_F(Manual, HasTheSignaturesOfTheCallbacksOfTraceSources)
{
    std::set<std::string> declared;
    for (const auto& [name, type] : m_types)
    {
        for (std::size_t i = 0; i < type.GetTraceSourceN(); ++i)
        {
            declared.insert(Shorten(type.GetTraceSource(i).callback));
        }
    }
    const std::filesystem::path folder = std::getenv("DLEARN_MANUAL");
    const auto signatures =
        ListSignatures({folder.parent_path() / "model", folder.parent_path() / "helper"});
    const std::string page = m_pages[(folder / "observation.rst").string()];
    static const std::regex ROW(R"(``(\w+::(\w+TracedCallback))``\s+``void \(([^`]*)\)``)");
    std::set<std::string> described;
    const std::sregex_iterator end;
    for (std::sregex_iterator match(page.begin(), page.end(), ROW); match != end; ++match)
    {
        described.insert(match->str(1));
        const auto found = signatures.find(match->str(2));
        ASSERT_TRUE(found != signatures.end()) << match->str(1) << " is in no header";
        EXPECT_EQ(found->second.count(JoinBlanks(match->str(3))), 1U)
            << match->str(1) << ", whose header has " << *found->second.begin();
    }
    EXPECT_EQ(described, declared);
}

TEST_F(Manual, HasEachTypeThatAUserMayChoose)
{
    const auto& listed = m_in["types"];
    for (const auto& [name, type] : m_types)
    {
        const bool derived = type.GetParent().GetName().compare(0, PREFIX.size(), PREFIX) == 0;
        EXPECT_EQ(std::count(listed.begin(), listed.end(), name), type.HasConstructor() && derived)
            << "interfaces of " << name;
    }
}

// Those without attributes have no table that would be missed.
TEST_F(Manual, HasEachAggregatorAndAttack)
{
    const std::string folder = std::getenv("DLEARN_MANUAL");
    const std::tuple<std::string, std::string, std::string> families[] = {
        {"Aggregator", "Aggregator", "/algorithms/robust-aggregation.rst"},
        {"PreAggregator", "PreAggregator", "/algorithms/robust-aggregation.rst"},
        {"Attack", "Attack", "/byzantine.rst"}};
    for (const auto& [family, ending, page] : families)
    {
        const TypeId base = TypeId::LookupByName(PREFIX + family);
        for (const auto& [name, type] : m_types)
        {
            if (type.IsChildOf(base) && type.HasConstructor())
            {
                const std::string whole = type.GetName().substr(PREFIX.size());
                const std::string word = whole.substr(0, whole.size() - ending.size());
                EXPECT_NE(m_pages[folder + page].find("``" + word), std::string::npos)
                    << page << " lacks " << word;
            }
        }
    }
}

TEST_F(Manual, HasEachNetwork)
{
    const std::string folder = std::getenv("DLEARN_MANUAL");
    const std::string page = m_pages[folder + "/networks.rst"];
    for (const std::string& name : dlearn::GetComponentNames(dlearn::GetNetworkFamily()))
    {
        EXPECT_NE(page.find("``" + name), std::string::npos) << "networks.rst lacks " << name;
    }
}

TEST_F(Manual, NamesTestsThatExist)
{
    const std::filesystem::path folder = std::getenv("DLEARN_MANUAL");
    const std::set<std::string> tests = ListTests(folder.parent_path() / "test");
    ASSERT_FALSE(tests.empty());
    const std::string page = m_pages[folder / "validation.rst"];
    static const std::regex NAME(R"(\b[A-Z]\w+\.[A-Z]\w+)");
    const std::sregex_iterator end;
    for (std::sregex_iterator match(page.begin(), page.end(), NAME); match != end; ++match)
    {
        // The page may shorten the name of a test at its end.
        const auto found = tests.lower_bound(match->str());
        EXPECT_TRUE(found != tests.end() && found->compare(0, match->length(), match->str()) == 0)
            << "validation.rst names " << match->str();
    }
}

} // namespace
