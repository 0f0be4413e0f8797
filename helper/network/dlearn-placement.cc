/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-placement.h"

#include "ns3/box.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rectangle.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

/** A format of files of positions. */
struct TraceFormat
{
    std::string prefix; //!< before a file name
    PositionTrace (*read)(const std::string& path);
};

const std::vector<TraceFormat> FORMATS{{"csv:", &ReadPositionTable},
                                       {"ns2:", &ReadNs2Movements},
                                       {"fcd:", &ReadFloatingCarData}};

const std::string OFFSET = ",offset="; //!< after a file name

/** Attributes that confine a model to the square. */
const std::vector<std::string> BOUNDS{"Bounds", "PositionAllocator"};

/** Range of an attribute of a mobility model, or of its random values, in its unit. */
struct AttributeRange
{
    std::string name;
    double least;
    double most;
};

/**
 * With these, the time between events of a learner is between a microsecond and 31 years, in
 * squares of up to 1,000 km.
 */
const std::vector<AttributeRange> RANGES{{"Speed", 1e-3, 1e4},
                                         {"MeanVelocity", 0, 1e4},
                                         {"Pause", 0, 1e9},
                                         {"Time", 1e-6, 1e9},
                                         {"TimeStep", 1e-6, 1e9},
                                         {"Distance", 1e-2, 1e9},
                                         {"Alpha", 0, 1}};

constexpr double MOST_SIDE = 1e6; //!< of a square with a mobility model, in metres

/**
 * Least distance of moving learners from the border at the start, as a share of the side: ns-3's
 * random walk never leaves a corner in which it starts.
 */
constexpr double BORDER = 1e-6;

/**
 * @return the value of an attribute that is a number or a time, or a thousand values of a random
 *         variable
 */
std::vector<double>
GetValues(const Ptr<MobilityModel>& model, const std::string& attribute)
{
    DoubleValue number;
    TimeValue time;
    PointerValue pointer;
    if (model->GetAttributeFailSafe(attribute, number))
    {
        return {number.Get()};
    }
    if (model->GetAttributeFailSafe(attribute, time))
    {
        return {static_cast<double>(time.Get().GetNanoSeconds()) / 1e9}; // 1e-6 for a microsecond
    }
    const bool has = model->GetAttributeFailSafe(attribute, pointer);
    const auto random = has ? pointer.Get<RandomVariableStream>() : nullptr;
    std::vector<double> values(random ? 1000 : 0);
    if (random)
    {
        const int64_t own = random->GetStream();
        random->SetStream(1LL << 31);
        std::generate(values.begin(), values.end(), [&] { return random->GetValue(); });
        random->SetStream(own);
    }
    return values;
}

/**
 * Refuse a model that would not move, would exceed the range of ns-3's times, or would schedule
 * events without end at one time.
 *
 * @param model model of a node: one without a node is freed before the event that its constructor
 *        schedules
 */
void
CheckMobilityModel(const std::string& network, const Ptr<MobilityModel>& model)
{
    for (const auto& [name, least, most] : RANGES)
    {
        for (const double value : GetValues(model, name))
        {
            Require(value >= least && value <= most,
                    network + ": " + model->GetInstanceTypeId().GetName() + ": " + name +
                        " must be from ",
                    least,
                    " to ",
                    most,
                    ", got ",
                    value);
        }
    }
}

Ptr<UniformRandomVariable>
MakeCoordinate(double side)
{
    const auto coordinate = CreateObject<UniformRandomVariable>();
    coordinate->SetAttribute("Min", DoubleValue(0));
    coordinate->SetAttribute("Max", DoubleValue(side));
    return coordinate;
}

/** @return the format of a text that begins with PREFIX:, or null */
const TraceFormat*
FindFormat(const std::string& text)
{
    const auto format = std::find_if(FORMATS.begin(), FORMATS.end(), [&](const TraceFormat& one) {
        return text.rfind(one.prefix, 0) == 0;
    });
    return format == FORMATS.end() ? nullptr : &*format;
}

/** @return the trace of a text PREFIX:FILE[,offset=N] */
PositionTrace
ReadTrace(const std::string& text)
{
    const TraceFormat& format = *FindFormat(text);
    const size_t begin = format.prefix.size();
    const size_t end = std::min(text.rfind(OFFSET), text.size());
    Require(end > begin,
            "mobility must name a file, " + format.prefix + "FILE; got '" + text + "'");
    PositionTrace trace = format.read(text.substr(begin, end - begin));
    if (end < text.size())
    {
        const std::string number = text.substr(end + OFFSET.size());
        const auto offset = ParseWholeNumber(number);
        Require(offset.has_value(),
                "mobility: offset must be a whole number from 0 to 4294967295, got '" + number +
                    "'");
        trace.Shift(*offset);
    }
    return trace;
}

/** @return the trace of a text PREFIX:FILE[,offset=N][+PREFIX:FILE[,offset=N]]... */
PositionTrace
ReadTraces(const std::string& text)
{
    size_t end = 0;
    do // a name may have a +
    {
        end = text.find('+', end + 1);
    } while (end != std::string::npos && !FindFormat(text.substr(end + 1)));
    PositionTrace trace = ReadTrace(text.substr(0, end));
    if (end != std::string::npos)
    {
        trace.Join(ReadTraces(text.substr(end + 1)));
    }
    return trace;
}

PointerValue
Constant(double value)
{
    return PointerValue(
        CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(value)));
}

/** Confine a model to the square, at a height. */
void
SetBounds(const Ptr<MobilityModel>& model, double side, double height)
{
    // Separate for each learner, whose path must not depend on the others.
    const auto goals = CreateObject<RandomRectanglePositionAllocator>();
    goals->SetX(MakeCoordinate(side));
    goals->SetY(MakeCoordinate(side));
    goals->SetZ(height);
    model->SetAttributeFailSafe("PositionAllocator", PointerValue(goals));
    model->SetAttributeFailSafe("Bounds", RectangleValue(Rectangle(0, side, 0, side)));
    model->SetAttributeFailSafe("Bounds", BoxValue(Box(0, side, 0, side, height, height)));
}

} // namespace

const ComponentFamily&
GetMobilityFamily()
{
    static const ComponentFamily family{"mobility",
                                        MobilityModel::GetTypeId(),
                                        {"2dMobilityModel", "MobilityModel"},
                                        true,
                                        {},
                                        {},
                                        "ns3::",
                                        BOUNDS,
                                        true};
    return family;
}

LearnerMobility
LearnerMobility::Parse(const std::string& text)
{
    LearnerMobility mobility;
    if (FindFormat(text))
    {
        mobility.m_trace = std::make_shared<PositionTrace>(ReadTraces(text));
    }
    else if (text != "none" && text != "false")
    {
        mobility.m_model = text == "true" ? "random-waypoint" : text;
        Require(IsComponent(GetMobilityFamily(), mobility.m_model),
                "mobility must be none, csv:FILE, ns2:FILE, fcd:FILE or one of ",
                JoinNames(GetComponentNames(GetMobilityFamily())) + "; got '" + text + "'");
        for (const std::string& name : GetGivenAttributes(GetMobilityFamily(), mobility.m_model))
        {
            const std::string attribute = name.substr(name.rfind(':') + 1);
            Require(std::count(BOUNDS.begin(), BOUNDS.end(), attribute) == 0,
                    "mobility: " + attribute +
                        " follows from the option side, which is the square that learners are in");
        }
        ParseComponent(GetMobilityFamily(), mobility.m_model); // refuses errors in it
    }
    return mobility;
}

Ptr<MobilityModel>
LearnerMobility::CreateModel(LearnerId id, const PlacementOptions& square, Time origin) const
{
    if (m_trace)
    {
        return m_trace->CreateModel(id, origin, square.height);
    }
    if (m_model.empty())
    {
        return CreateObject<ConstantPositionMobilityModel>();
    }
    // Parsed again for each learner, because the parser creates the random variables in the text.
    const auto model = ParseComponent(GetMobilityFamily(), m_model).Create<MobilityModel>();
    const auto given = GetGivenAttributes(GetMobilityFamily(), m_model);
    const auto prefer = [&](const std::string& name, const AttributeValue& value) {
        const std::string full = model->GetInstanceTypeId().GetName() + "::" + name;
        if (std::count(given.begin(), given.end(), full) == 0)
        {
            SetOwnDefault(model, name, value);
        }
    };
    prefer("Speed", Constant(square.speed));
    prefer("MeanVelocity", Constant(square.speed));
    prefer("Pause", Constant(1));
    prefer("Alpha", DoubleValue(0.85));
    const auto zero = CreateObject<NormalRandomVariable>(); // NormalPitch must be normal
    zero->SetAttribute("Variance", DoubleValue(0));
    zero->SetAttribute("Bound", DoubleValue(0));
    prefer("NormalPitch", PointerValue(zero));
    SetBounds(model, square.side, square.height);
    return model;
}

void
CheckPositions(const std::string& network,
               const PlacementOptions& options,
               uint32_t learners,
               std::optional<LearnerId> fixed)
{
    Require(!options.mobility.HasModel() || options.side <= MOST_SIDE,
            network + ": side must be at most ",
            MOST_SIDE,
            " m when learners move, got ",
            options.side);
    if (const PositionTrace* trace = options.mobility.GetTrace())
    {
        trace->CheckFits(network, learners, options.side, fixed);
        Require(options.positions.empty() ||
                    options.positions == PlaceLearners(options, learners, fixed),
                network + ": learners are where the file of mobility says, so no positions can be "
                          "given and no graph can place them");
    }
    if (options.positions.empty())
    {
        return;
    }
    RequireSize(network, "positions", options.positions.size(), learners);
    for (LearnerId id = 0; id < learners; ++id)
    {
        RequireInside(network, options.positions[id], id, options.side);
    }
}

std::vector<std::pair<double, double>>
PlaceLearners(const PlacementOptions& options, uint32_t learners, std::optional<LearnerId> fixed)
{
    const std::pair<double, double> centre{options.side / 2, options.side / 2};
    std::vector<std::pair<double, double>> positions;
    if (const PositionTrace* trace = options.mobility.GetTrace())
    {
        for (LearnerId id = 0; id < learners; ++id)
        {
            positions.push_back(trace->Has(id) ? trace->GetStart(id) : centre);
        }
        return positions;
    }
    if (!options.positions.empty())
    {
        return options.positions;
    }
    const auto coordinate = MakeCoordinate(options.side);
    coordinate->SetStream(options.positionStream);
    while (positions.size() < learners)
    {
        const double x = coordinate->GetValue();
        const double y = coordinate->GetValue();
        positions.emplace_back(x, y);
    }
    if (fixed)
    {
        positions[*fixed] = centre;
    }
    return positions;
}

void
InstallMobility(const std::string& network,
                const NodeContainer& nodes,
                const std::vector<std::pair<double, double>>& positions,
                const PlacementOptions& options,
                std::optional<LearnerId> fixed,
                Time ready)
{
    const Time origin = options.timesFromReady ? ready : Time(0);
    for (LearnerId id = 0; id < nodes.GetN(); ++id)
    {
        const PositionTrace* const trace = options.mobility.GetTrace();
        const bool moves = trace ? trace->Has(id) : id != fixed;
        const LearnerMobility mobility = moves ? options.mobility : LearnerMobility();
        const auto model = mobility.CreateModel(id, options, origin);
        if (!trace || !moves)
        {
            const double margin = mobility.IsOn() ? BORDER * options.side : 0;
            const auto inside = [&](double x) {
                return std::clamp(x, margin, options.side - margin);
            };
            const auto [x, y] = positions[id];
            model->SetPosition(Vector(inside(x), inside(y), options.height));
        }
        nodes.Get(id)->AggregateObject(model);
        CheckMobilityModel(network, model);
    }
}

Grid
ChooseGrid(uint32_t count)
{
    const auto columns = static_cast<uint32_t>(std::ceil(std::sqrt(count)));
    return {columns, (count + columns - 1) / columns};
}

void
PlaceOnGrid(const NodeContainer& nodes, double side, double height)
{
    const auto [columns, rows] = ChooseGrid(nodes.GetN());
    for (uint32_t k = 0; k < nodes.GetN(); ++k)
    {
        const auto place = CreateObject<ConstantPositionMobilityModel>();
        place->SetPosition(Vector((k % columns + 0.5) * side / columns,
                                  (k / columns + 0.5) * side / rows,
                                  height));
        nodes.Get(k)->AggregateObject(place);
    }
}

std::vector<double>
DrawPowers(const std::string& text, uint32_t learners, int64_t stream)
{
    const size_t colon = text.find(':');
    const auto low = ParseNumber(text.substr(0, colon));
    const auto high = colon == std::string::npos ? low : ParseNumber(text.substr(colon + 1));
    Require(low && high && *low <= *high,
            "powers must be a number of dBm or a range of two, LOW:HIGH, got '" + text + "'");
    if (*low == *high)
    {
        return std::vector<double>(learners, *low);
    }
    const auto random = CreateSeeded<UniformRandomVariable>(stream, 0);
    std::vector<double> powers(learners);
    for (double& power : powers)
    {
        power = random->GetValue(*low, *high);
    }
    return powers;
}

Graph
RadioGraph(const std::vector<Ptr<MobilityModel>>& places,
           const std::vector<double>& powers,
           Ptr<PropagationLossModel> pathLoss,
           double threshold)
{
    RequireSize("RadioGraph", "powers", powers.size(), places.size());
    Graph graph(static_cast<uint32_t>(places.size()));
    for (LearnerId receiver = 0; receiver < graph.GetSize(); ++receiver)
    {
        const Vector position = places[receiver]->GetPosition();
        graph.positions.emplace_back(position.x, position.y);
        for (LearnerId sender = 0; sender < graph.GetSize(); ++sender)
        {
            if (sender != receiver &&
                pathLoss->CalcRxPower(powers[sender], places[sender], places[receiver]) >=
                    threshold)
            {
                graph.SetWeight(receiver, sender, 1);
            }
        }
    }
    return graph;
}

Graph
RadioGraph(const std::vector<std::pair<double, double>>& positions,
           const std::vector<double>& powers,
           Ptr<PropagationLossModel> pathLoss,
           double threshold)
{
    std::vector<Ptr<MobilityModel>> places;
    for (const auto& [x, y] : positions)
    {
        places.push_back(CreateObject<ConstantPositionMobilityModel>());
        places.back()->SetPosition(Vector(x, y, 0));
    }
    return RadioGraph(places, powers, pathLoss, threshold);
}

} // namespace ns3::dlearn
