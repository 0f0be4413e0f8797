/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-personal-rules.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Ditto);

TypeId
Ditto::GetTypeId()
{
    static TypeId tid = MakeTypeId<Ditto, LocalSgd>("ns3::dlearn::Ditto")
                            .AddAttribute("Lambda",
                                          "Strength of the pull of the server's model on the "
                                          "personal one, at least 0.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&Ditto::m_lambda),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

void
Ditto::SetInitialModel(const ModelVector& model)
{
    LocalSgd::SetInitialModel(model);
    m_personal = model;
}

void
Ditto::DoBeginRound()
{
    LocalSgd::DoBeginRound();
    m_pull = m_lambda;
}

ModelVector
Ditto::Train(const ModelVector& start, const SampleIndices& samples)
{
    Optimizer::State state;
    m_next = Descend(m_personal, start, m_pull, samples, state);
    return LocalSgd::Train(start, samples);
}

NS_OBJECT_ENSURE_REGISTERED(FedPer);

TypeId
FedPer::GetTypeId()
{
    static TypeId tid = MakeTypeId<FedPer, LocalSgd>("ns3::dlearn::FedPer")
                            .AddAttribute("PersonalEntries",
                                          "Entries at the end of the model that stay with the "
                                          "client; 0: those of the last layer of a neural network.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&FedPer::m_entries),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
FedPer::SetInitialModel(const ModelVector& model)
{
    LocalSgd::SetInitialModel(model);
    m_personal = model;
}

uint32_t
FedPer::CountPersonal() const
{
    return m_entries > 0 ? m_entries : m_task->CountLastLayer();
}

MessageFormat
FedPer::GetFormat(ModelChannel channel) const
{
    MessageFormat format = LocalSgd::GetFormat(channel);
    const bool shared = channel == ModelChannel::MODEL || channel == ModelChannel::UPDATE;
    format.length -= shared ? CountPersonal() : 0;
    return format;
}

void
FedPer::CheckAttributes() const
{
    LocalSgd::CheckAttributes();
    const uint32_t dimension = m_task->GetDimension();
    Require(CountPersonal() > 0 && CountPersonal() < dimension,
            "FedPer: PersonalEntries must be from 1 to {}, one less than the entries of the model, "
            "or 0 with a neural network of several layers, got {}",
            dimension - 1,
            m_entries);
}

} // namespace ns3::dlearn
