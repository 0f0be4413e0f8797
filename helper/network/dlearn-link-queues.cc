/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-queues.h"

#include "ns3/cobalt-queue-disc.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-check.h"
#include "ns3/mq-queue-disc.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/node.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/red-queue-disc.h"
#include "ns3/traffic-control-layer.h"

#include <cctype>
#include <cstdlib>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** @return whether a size is one that ns-3 would wrap around silently */
bool
IsBeyondRange(const std::string& text)
{
    char* unit = nullptr;
    double number = std::strtod(text.c_str(), &unit);
    for (const char prefix : {'k', 'm', 'g', 't'}) // K and Ki, M and Mi, ...
    {
        number *= 1024;
        if (std::tolower(*unit) == prefix)
        {
            return number > std::numeric_limits<uint32_t>::max();
        }
    }
    return std::strtod(text.c_str(), nullptr) > std::numeric_limits<uint32_t>::max();
}

/** @return the size that a text describes */
QueueSize
ParseSize(const std::string& text)
{
    if (text == "unlimited")
    {
        return {QueueSizeUnit::PACKETS, std::numeric_limits<uint32_t>::max()};
    }
    QueueSizeValue size;
    Require(IsValid(text, *MakeQueueSizeChecker(), size) && !IsBeyondRange(text) &&
                size.DeserializeFromString(text, MakeQueueSizeChecker()) &&
                size.Get().GetValue() > 0,
            "queue-size must be a number of packets (100p) or bytes (64kB) of at least 1, or "
            "unlimited, got '",
            text,
            "'");
    return size.Get();
}

/** @return the MaxSize of the queue disc that a text describes */
QueueSize
GetSize(const std::string& text)
{
    QueueSizeValue size;
    ParseComponent(GetQueueDiscFamily(), text).Create<QueueDisc>()->GetAttribute("MaxSize", size);
    return size.Get();
}

/**
 * @param disc gets a stream if it is of the type
 * @param stream its number
 * @return number of streams used
 */
template <typename Disc>
int64_t
AssignIf(const Ptr<QueueDisc>& disc, int64_t stream)
{
    const auto drawing = DynamicCast<Disc>(disc);
    return drawing ? drawing->AssignStreams(stream) : 0;
}

} // namespace

const ComponentFamily&
GetQueueDiscFamily()
{
    static const ComponentFamily family{"queue-disc",
                                        QueueDisc::GetTypeId(),
                                        {"QueueDisc"},
                                        true,
                                        {{"codel", "co-del"}, {"fq-codel", "fq-co-del"}},
                                        {},
                                        "ns3::",
                                        {"MaxSize"}};
    return family;
}

LinkQueues
LinkQueues::Parse(const std::string& disc, const std::string& size)
{
    LinkQueues queues;
    if (!size.empty())
    {
        queues.size = ParseSize(size);
    }
    if (!disc.empty())
    {
        queues.disc = disc == "none" ? ObjectFactory() : ParseComponent(GetQueueDiscFamily(), disc);
    }
    Require(size.empty() || !queues.disc || !queues.HasDisc() ||
                GetSize(disc) == GetSize(GetComponentName(disc)),
            "queue-size and a MaxSize of queue-disc exclude each other, got ",
            size,
            " and ",
            disc);
    return queues;
}

std::vector<Ptr<QueueDisc>>
LinkQueues::InstallDisc(Ptr<NetDevice> device) const
{
    const auto interface = device->GetObject<NetDeviceQueueInterface>();
    const auto layer = device->GetNode()->GetObject<TrafficControlLayer>();
    if (!HasDisc() || !interface || !layer)
    {
        return {};
    }
    std::vector<Ptr<QueueDisc>> discs;
    for (size_t k = 0; k < interface->GetNTxQueues(); ++k)
    {
        discs.push_back(disc->Create<QueueDisc>());
        if (size)
        {
            discs.back()->SetMaxSize(*size);
        }
    }
    if (discs.size() == 1)
    {
        layer->SetRootQueueDiscOnDevice(device, discs[0]);
        return discs;
    }
    const auto root = CreateObject<MqQueueDisc>();
    for (const auto& child : discs)
    {
        const auto entry = CreateObject<QueueDiscClass>();
        entry->SetQueueDisc(child);
        root->AddQueueDiscClass(entry);
    }
    layer->SetRootQueueDiscOnDevice(device, root);
    return discs;
}

int64_t
AssignQueueStreams(const std::vector<Ptr<QueueDisc>>& discs, int64_t stream)
{
    int64_t next = stream;
    for (const auto& disc : discs)
    {
        next += AssignIf<CobaltQueueDisc>(disc, next);
        next += AssignIf<PieQueueDisc>(disc, next);
        next += AssignIf<RedQueueDisc>(disc, next);
    }
    return next - stream;
}

} // namespace ns3::dlearn
