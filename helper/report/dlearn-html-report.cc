/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-html-report.h"

#include "dlearn-report-plots.h"
#include "dlearn-results-summary.h"
#include "dlearn-svg-style.h"
#include "dlearn-svg-topology.h"

#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-version.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

const char* const PAGE_STYLE = R"(
:root{color-scheme:light dark}
body{margin:0;background:#f4f5f7;color:#1b2028;
 font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1320px;margin:0 auto;padding:28px 20px 48px}
h1{font-size:27px;margin:0;overflow-wrap:anywhere}
h2{font-size:19px;margin:36px 0 12px}
h3{font-size:15px;margin:0 0 8px}
.sub,.note{color:#5a6270;margin:4px 0 12px}
.wide{margin-top:20px}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:12px;
 margin:22px 0 0}
.tile,.plot,.box{background:#fff;border:1px solid #e0e3e8;border-radius:10px}
.tile{padding:12px 16px}
.tile b{display:block;font-size:23px;font-weight:650;font-variant-numeric:tabular-nums}
.tile span{color:#5a6270;font-size:13px}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(480px,100%),1fr));gap:14px;
 align-items:start}
.plot{overflow:hidden}
.plot svg{display:block;width:100%;height:auto}
.box{padding:14px 16px;overflow-x:auto}
.warn{border-left:5px solid #c98500;margin:20px 0 0}
.warn ul{margin:0;padding-left:20px}
table{border-collapse:collapse;width:100%;font-size:14px}
td,th{text-align:left;padding:5px 14px 5px 0;border-top:1px solid #e9ebef;vertical-align:top;
 overflow-wrap:anywhere}
tr:first-child td,tr:first-child th{border-top:0}
th{font-weight:500;color:#5a6270}
@media (prefers-color-scheme:dark){
body{background:#13161b;color:#e6e9ee}
.sub,.note,.tile span,th{color:#a5adb9}
.tile,.plot,.box{background:#1c2027;border-color:#2f353f}
td,th{border-color:#2b313a}
}
@media print{.plot,.tile,.box{break-inside:avoid}}
)";

using Table = std::vector<std::pair<std::string, std::string>>;

/**
 * @param title of the table
 * @param table names and values; plain text
 * @return the table in a box; empty when there is no row
 */
std::string
MakeTable(const std::string& title, const Table& table)
{
    if (table.empty())
    {
        return "";
    }
    std::string html = "<div class=\"box\"><h3>" + EscapeXml(title) + "</h3><table><tbody>\n";
    for (const auto& [name, value] : table)
    {
        html += "<tr><th scope=\"row\">" + EscapeXml(name) + "</th><td>" + EscapeXml(value) +
                "</td></tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

/**
 * @param results of the run
 * @param summary of its rows
 * @return the headline figures; those that do not apply are left out
 */
std::string
MakeTiles(const RunResults& results, const ResultsSummary& summary)
{
    std::string html = "<div class=\"tiles\">\n";
    auto add = [&html](const std::string& name, const std::string& value) {
        html += "<div class=\"tile\"><b>" + value + "</b><span>" + name + "</span></div>\n";
    };
    auto addNumber = [&add](const std::string& name, double value) {
        if (!std::isnan(value))
        {
            add(name, FormatRounded(value));
        }
    };
    auto addShare = [&add](const std::string& name, double value) {
        if (!std::isnan(value))
        {
            // Four digits of a share near 1 would hide a few lost messages in thousands.
            add(name, FormatRounded(100 * value, value > 0.99 ? 5 : 4) + " %");
        }
    };
    add("rounds closed", std::to_string(summary.rounds));
    add("simulated time", FormatRounded(results.simulatedSeconds, 5) + " s");
    addShare("final accuracy", summary.final.accuracy);
    addNumber("final loss", summary.final.loss);
    addNumber("final error", summary.final.error);
    addNumber("largest epsilon", summary.epsilonMax);
    addShare("delivered in time", summary.GetDeliveredShare());
    return html + "</div>\n";
}

/**
 * @param results of the run
 * @param summary of its rows
 * @return conditions not met, unless there are none
 */
std::string
MakeWarnings(const RunResults& results, const ResultsSummary& summary)
{
    auto warnings = results.warnings;
    if (!summary.conserved)
    {
        warnings.emplace_back("Message counts do not add up in some rounds: expected = received + "
                              "late + lost and received = used + rejected must hold.");
    }
    if (warnings.empty())
    {
        return "";
    }
    std::string html = "<div class=\"box warn\"><h3>Warnings</h3><ul>\n";
    for (const auto& warning : warnings)
    {
        html += "<li>" + EscapeXml(warning) + "</li>\n";
    }
    return html + "</ul></div>\n";
}

/**
 * @param results of the run
 * @param summary of its rows
 * @return what to draw at each node
 */
std::vector<TopologyNode>
MakeTopologyNodes(const RunResults& results, const ResultsSummary& summary)
{
    uint32_t lastRound = 0;
    for (const auto& [node, row] : summary.lastRows)
    {
        lastRound = std::max(lastRound, row.record.round);
    }
    std::vector<TopologyNode> nodes(results.graph.GetSize());
    for (LearnerId id = 0; id < nodes.size(); ++id)
    {
        auto& node = nodes[id];
        const auto row = summary.lastRows.find(id);
        const bool closed = row != summary.lastRows.end();
        node.role = id < results.roles.size() ? results.roles[id]
                    : closed                  ? row->second.role
                                              : node.role;
        node.stopped =
            !summary.lastRows.empty() && (!closed || row->second.record.round < lastRound);
        node.tip = "learner " + std::to_string(id);
        node.tip += id < results.graph.names.size() ? " " + results.graph.names[id] : "";
        node.tip += ", " + node.role;
        node.tip += closed ? ", last round " + std::to_string(row->second.record.round) +
                                 ", epsilon " + FormatRounded(row->second.record.epsilon)
                           : ", closed no round";
    }
    return nodes;
}

/**
 * @param section of the report
 * @return it as HTML
 */
std::string
MakeSection(const ReportSection& section)
{
    std::string html = "<section><h2>" + EscapeXml(section.title) + "</h2>\n";
    if (!section.note.empty())
    {
        html += "<p class=\"note\">" + EscapeXml(section.note) + "</p>\n";
    }
    if (!section.pictures.empty())
    {
        html += "<div class=\"grid\">\n";
        for (const auto& picture : section.pictures)
        {
            html += "<div class=\"plot\">" + picture + "</div>\n";
        }
        html += "</div>";
    }
    return html + "</section>\n";
}

/**
 * @param results of the run
 * @return the tables of what the run was
 */
std::string
MakeTables(const RunResults& results)
{
    const Table attributes(results.attributes.begin(), results.attributes.end());
    Table totals;
    for (const auto& [name, count] : results.totals)
    {
        totals.emplace_back(name, std::to_string(count));
    }
    const Table run{{"program", results.program},
                    {"seed", std::to_string(results.seed)},
                    {"run", std::to_string(results.run)},
                    {"simulator events", std::to_string(results.events)},
                    {"dlearn", DLEARN_VERSION},
                    {"ns-3", DLEARN_NS3_VERSION}};
    return "<section><h2>Set-up</h2>\n<div class=\"grid\">\n" +
           MakeTable("Parameters", results.parameters) + MakeTable("Run", run) +
           MakeTable("Attributes not at their default", attributes) +
           MakeTable("Counters", totals) + "</div></section>\n";
}

} // namespace

std::string
MakeHtmlReport(const RunResults& results)
{
    const auto summary = Summarize(results.rows, results.epsilon);
    const std::string program = EscapeXml(results.program);
    std::string html = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
                       "<title>" +
                       program + " - dlearn report</title>\n<style>" + PAGE_STYLE + GetSvgStyle() +
                       "</style></head>\n<body><main>\n<header><h1>" + program +
                       "</h1>\n<p class=\"sub\">" + std::to_string(results.graph.GetSize()) +
                       " learners, seed " + std::to_string(results.seed) + ", run " +
                       std::to_string(results.run) + ", dlearn " + DLEARN_VERSION + " on ns-3 " +
                       DLEARN_NS3_VERSION + "</p></header>\n";
    html += MakeTiles(results, summary) + MakeWarnings(results, summary);
    auto sections = MakeReportSections(results.rows);
    // The last section is about the network: its graph belongs there.
    sections.back().pictures.push_back(
        DrawTopology(results.graph, results.positions, MakeTopologyNodes(results, summary), false));
    for (const auto& section : sections)
    {
        html += MakeSection(section);
    }
    html += MakeTables(results);
    return html + "<p class=\"note wide\">Every number behind these plots is in rounds.csv and "
                  "summary.json beside this page.</p>\n</main></body></html>\n";
}

} // namespace ns3::dlearn
