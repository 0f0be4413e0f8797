/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPRESSION_OPTION_H
#define DLEARN_COMPRESSION_OPTION_H

#include "ns3/dlearn-message-exchange.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a learner compresses what it sends, as a user of a program writes it:
 *
 *  - none: not at all;
 *  - fp16: 16-bit numbers;
 *  - qsgd:S: stochastic quantisation to S levels of either sign (QsgdCompressor);
 *  - topk:K: the K largest entries, with error feedback (TopKCompressor);
 *  - randk:K: K random entries, with error feedback (RandomKCompressor).
 *
 * The numbers that topk and randk send have the FloatBits of the exchange.
 */
class CompressionOption
{
  public:
    /**
     * @param text one of the above
     * @throw std::invalid_argument naming the text and what it may be
     */
    explicit CompressionOption(const std::string& text);

    /**
     * Set the attributes of a message layer and of its compressor; before its Setup(), which
     * refuses a K larger than the dimension.
     *
     * @param exchange of one learner; with none, left as it is
     */
    void Apply(MessageExchange& exchange) const;

  private:
    bool m_halves{false};                   //!< 16-bit numbers
    TypeId m_type{Compressor::GetTypeId()}; //!< of the compressor; the interface for none
    std::string m_attribute;                //!< of the compressor
    uint32_t m_value{0};                    //!< of that attribute
    bool m_feedback{false};                 //!< with error feedback
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPRESSION_OPTION_H
