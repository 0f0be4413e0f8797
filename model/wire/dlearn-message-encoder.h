/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_ENCODER_H
#define DLEARN_MESSAGE_ENCODER_H

#include "dlearn-encoded-message.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-message.h"

#include <map>
#include <memory>
#include <optional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Turns the vectors of one learner into messages. Encode()
 *  -# with error feedback, adds to the vector what earlier ones of its channel lost on their way
 *     into bytes;
 *  -# has it packed by the compressor, where there is one, else leaves its numbers to be written
 *     with the chosen bits;
 *  -# with error feedback, remembers what receivers will not read of it.
 */
class MessageEncoder
{
  public:
    /** What a user chooses. */
    struct Settings
    {
        uint8_t floatBits{32};      //!< bits of a number on the wire: 16, 32 or 64
        Ptr<Compressor> compressor; //!< what makes vectors smaller; null for nothing
        bool errorFeedback{false};  //!< whether what was lost is added to the next vector
    };

    /**
     * @param settings what a user has chosen
     * @param self number of the local learner
     * @param dimension entries of every vector, unless SetLength() says otherwise
     * @throw std::invalid_argument when a setting, also of the compressor, is out of its range
     */
    void Setup(const Settings& settings, LearnerId self, uint32_t dimension);

    /**
     * Set another length than the model's for the vectors of a channel. They are plain numbers,
     * never compressed.
     *
     * @param channel the channel
     * @param length entries of its vectors, at least 1
     */
    void SetLength(ModelChannel channel, uint32_t length);

    /**
     * @param channel of a message
     * @return how many numbers it has
     */
    uint32_t GetLength(ModelChannel channel) const;

    /**
     * @param channel of a message
     * @return bytes of its vector, without headers
     */
    uint64_t GetPayloadSize(ModelChannel channel) const;

    /**
     * @param round of the message
     * @param outgoing the vector, which is moved from unless it is compressed
     * @param fragmentSize most bytes of payload that a fragment carries
     * @return the message
     */
    std::shared_ptr<const EncodedMessage> Encode(uint32_t round,
                                                 Outgoing& outgoing,
                                                 uint32_t fragmentSize);

    /**
     * The sending of a round is over.
     *
     * @param round the round
     * @param left whether any of it left; if not, error feedback goes back to where it was
     */
    void Settle(uint32_t round, bool left);

  private:
    /** What compression took from the vectors of a channel. */
    struct Feedback
    {
        ErrorFeedback error;           //!< to be added to the next vector
        ErrorFeedback before;          //!< the same before the first vector of the round
        std::optional<uint32_t> round; //!< of the newest vector, while it is not settled
    };

    /** @return whether vectors of a channel have the model's length, and may be compressed */
    bool IsOfModel(ModelChannel channel) const { return m_lengths.count(channel) == 0; }

    /** As Encode(), without error feedback. */
    std::shared_ptr<const EncodedMessage> Pack(uint32_t round,
                                               Outgoing& outgoing,
                                               uint32_t fragmentSize);

    Settings m_settings;                         //!< what a user has chosen
    Encoding m_encoding{Encoding::FLOAT32};      //!< of numbers, as the settings say
    LearnerId m_self{0};                         //!< the local learner
    uint32_t m_dimension{0};                     //!< entries of a vector
    std::map<ModelChannel, uint32_t> m_lengths;  //!< of channels where SetLength() set one
    std::map<ModelChannel, Feedback> m_feedback; //!< what was lost, by channel
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_ENCODER_H
