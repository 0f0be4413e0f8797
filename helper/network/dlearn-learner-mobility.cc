/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-mobility.h"

#include "dlearn-ns2-movements.h"
#include "dlearn-position-table.h"

#include "ns3/box.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rectangle.h"

#include <algorithm>
#include <vector>

namespace ns3::dlearn
{

namespace
{

const std::string TABLE = "csv:";           //!< before the name of a file
const std::string NS2 = "ns2:";             //!< likewise
const std::string OFFSET = ",offset=";      //!< behind it
const std::string TYPE = "random-waypoint"; //!< unless another one is named

/** Attributes that keep a model in the square. */
const std::vector<std::string> BOUNDS{"Bounds", "PositionAllocator"};

constexpr double MOST_SIDE = 1e6; //!< of the square, in metres

/**
 * @param text begins with the kind
 * @param kind of file, with a colon
 * @param read reads such a file
 * @return the trace in the file behind the kind, with the offset behind that
 */
std::shared_ptr<const PositionTrace>
ReadTrace(const std::string& text,
          const std::string& kind,
          PositionTrace (*read)(const std::string&))
{
    const size_t end = std::min(text.rfind(OFFSET), text.size());
    Require(end > kind.size(), "mobility must name a file, ", kind, "FILE; got '", text, "'");
    const auto trace =
        std::make_shared<PositionTrace>(read(text.substr(kind.size(), end - kind.size())));
    if (end < text.size())
    {
        const std::string number = text.substr(end + OFFSET.size());
        const auto offset = ParseWholeNumber(number);
        Require(offset.has_value(),
                "mobility: offset must be a whole number from 0 to 4294967295, got '",
                number,
                "'");
        trace->Shift(*offset);
    }
    return trace;
}

/** @return a random variable that always has the same value */
PointerValue
Constant(double value)
{
    return PointerValue(
        CreateObjectWithAttributes<ConstantRandomVariable>("Constant", DoubleValue(value)));
}

/** @return a random variable that is always 0, for attributes that have to be normal */
PointerValue
NormalZero()
{
    return PointerValue(CreateObjectWithAttributes<NormalRandomVariable>("Variance",
                                                                         DoubleValue(0),
                                                                         "Bound",
                                                                         DoubleValue(0)));
}

/** @return places for the goals of one learner, whose path must not depend on that of others */
Ptr<PositionAllocator>
MakeGoals(double side)
{
    const auto coordinate = [side] {
        return CreateObjectWithAttributes<UniformRandomVariable>("Min",
                                                                 DoubleValue(0),
                                                                 "Max",
                                                                 DoubleValue(side));
    };
    const auto goals = CreateObject<RandomRectanglePositionAllocator>();
    goals->SetX(coordinate());
    goals->SetY(coordinate());
    return goals;
}

/** Keep a model inside the square. */
void
SetBounds(const Ptr<MobilityModel>& model, double side)
{
    model->SetAttributeFailSafe("PositionAllocator", PointerValue(MakeGoals(side)));
    model->SetAttributeFailSafe("Bounds", RectangleValue(Rectangle(0, side, 0, side)));
    model->SetAttributeFailSafe("Bounds", BoxValue(Box(0, side, 0, side, 0, 0)));
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
    if (text.rfind(TABLE, 0) == 0)
    {
        mobility.m_trace = ReadTrace(text, TABLE, ReadPositionTable);
    }
    else if (text.rfind(NS2, 0) == 0)
    {
        mobility.m_trace = ReadTrace(text, NS2, ReadNs2Movements);
    }
    else if (text != "none" && text != "false")
    {
        mobility.m_model = text == "true" ? TYPE : text;
        Require(IsComponent(GetMobilityFamily(), mobility.m_model),
                "mobility must be none, csv:FILE, ns2:FILE or one of ",
                JoinNames(GetComponentNames(GetMobilityFamily())),
                "; got '",
                text,
                "'");
        for (const std::string& name : GetGivenAttributes(GetMobilityFamily(), mobility.m_model))
        {
            const std::string attribute = name.substr(name.rfind(':') + 1);
            Require(std::count(BOUNDS.begin(), BOUNDS.end(), attribute) == 0,
                    "mobility: ",
                    attribute,
                    " follows from the option side, which is the square that learners are in");
        }
        ParseComponent(GetMobilityFamily(), mobility.m_model); // says what is wrong in it
    }
    return mobility;
}

void
LearnerMobility::CheckFits(const std::string& network, double side) const
{
    if (m_model.empty())
    {
        return;
    }
    Require(side <= MOST_SIDE,
            network,
            ": side must be at most ",
            MOST_SIDE,
            " m when learners move, got ",
            side);
}

Ptr<MobilityModel>
LearnerMobility::CreateModel(LearnerId id, double side, double speed, Time origin) const
{
    if (m_trace)
    {
        return m_trace->CreateModel(id, origin);
    }
    if (m_model.empty())
    {
        return CreateObject<ConstantPositionMobilityModel>();
    }
    // Parsed again for each learner: random variables in the text are objects, made by the parser.
    const auto model = ParseComponent(GetMobilityFamily(), m_model).Create<MobilityModel>();
    const auto given = GetGivenAttributes(GetMobilityFamily(), m_model);
    const auto prefer = [&](const std::string& name, const AttributeValue& value) {
        const std::string full = model->GetInstanceTypeId().GetName() + "::" + name;
        if (std::count(given.begin(), given.end(), full) == 0)
        {
            SetOwnDefault(model, name, value);
        }
    };
    prefer("Speed", Constant(speed));
    prefer("MeanVelocity", Constant(speed));
    prefer("Pause", Constant(1));
    prefer("Alpha", DoubleValue(0.85));
    prefer("NormalPitch", NormalZero());
    SetBounds(model, side);
    return model;
}

} // namespace ns3::dlearn
