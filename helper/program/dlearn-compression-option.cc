/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-compression-option.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-qsgd-compressor.h"
#include "ns3/dlearn-qsgd-encoding.h"
#include "ns3/dlearn-sparse-compressors.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3::dlearn
{

namespace
{

/**
 * @param text what the user wrote, such as topk:100
 * @param most the largest number allowed
 * @return the number after the colon
 * @throw std::invalid_argument when there is no whole number from 1 to most
 */
uint32_t
ParseCount(const std::string& text, uint32_t most)
{
    const uint32_t value = ParseWholeNumber(text.substr(text.find(':') + 1)).value_or(0);
    Require(value >= 1 && value <= most,
            "compress: the number after the colon must be a whole one from 1 to ",
            most,
            ", got '",
            text,
            "'");
    return value;
}

} // namespace

CompressionOption::CompressionOption(const std::string& text)
{
    const std::string kind = text.substr(0, text.find(':') + 1); // empty without a colon
    if (kind == "qsgd:")
    {
        m_type = QsgdCompressor::GetTypeId();
        m_attribute = "Levels";
        m_value = ParseCount(text, MAX_QSGD_LEVELS);
        return;
    }
    if (kind == "topk:" || kind == "randk:")
    {
        m_type = kind == "topk:" ? TopKCompressor::GetTypeId() : RandomKCompressor::GetTypeId();
        m_attribute = "K";
        m_value = ParseCount(text, std::numeric_limits<uint32_t>::max());
        m_feedback = true;
        return;
    }
    Require(text == "none" || text == "fp16",
            "compress must be none, fp16, qsgd:S, topk:K or randk:K, got '",
            text,
            "'");
    m_halves = text == "fp16";
}

void
CompressionOption::Apply(MessageExchange& exchange) const
{
    if (m_halves)
    {
        exchange.SetAttribute("FloatBits", UintegerValue(16));
    }
    if (m_type == Compressor::GetTypeId())
    {
        return;
    }
    exchange.SetAttribute("Compressor", TypeIdValue(m_type));
    exchange.SetAttribute("ErrorFeedback", BooleanValue(m_feedback));
    exchange.GetCompressor()->SetAttribute(m_attribute, UintegerValue(m_value));
}

} // namespace ns3::dlearn
