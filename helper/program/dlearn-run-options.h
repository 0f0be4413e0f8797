/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_OPTIONS_H
#define DLEARN_RUN_OPTIONS_H

#include "dlearn-run-option.h"
#include "dlearn-run-spec.h"

#include "ns3/object-base.h"
#include "ns3/type-id.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param spec gets the values
 * @return the options of its kind of run, in the order of --help
 */
std::vector<RunOption> GetRunOptions(RunSpec& spec);

/**
 * @ingroup dlearn
 * Give the options that set attributes the defaults of these; of several, that of the first.
 *
 * @param spec gets the values
 */
void TakeDefaults(RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @throw std::invalid_argument for an option whose value an attribute that it sets does not take
 */
void RequireRanges(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @return names and values of all its options, for summary.json and the report
 */
std::vector<std::pair<std::string, std::string>> GetParameters(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @return names of the options that have no effect, because of what others are
 */
std::set<std::string> FindIdleOptions(const RunSpec& spec);

/**
 * @ingroup dlearn
 * @param spec what to run
 * @param usual a run of the same kind
 * @param effect on the closed form of the error
 * @return whether an option with this effect has another value than in the usual run
 */
bool IsAnyChanged(const RunSpec& spec, const RunSpec& usual, TheoryEffect effect);

/**
 * @ingroup dlearn
 * Classes speak of their attributes, as scripts set these; a user has given an option.
 *
 * @param spec what to run
 * @param message that refuses something
 * @return the message, and after it the option that sets the attribute with which it begins, if
 *         that was given
 */
std::string NameOption(const RunSpec& spec, const std::string& message);

/**
 * @ingroup dlearn
 * Sets the attributes that options are for.
 */
class OptionAttributes
{
  public:
    /**
     * @param spec with the values, as RequireRanges() allows; where one is empty the attribute
     *        stays as it is
     */
    explicit OptionAttributes(const RunSpec& spec);

    /**
     * @param object a part of a run, whose type may have any of the attributes
     */
    void Apply(ObjectBase& object) const;

    /**
     * @param options that a user gave, by name
     * @throw std::invalid_argument naming the first that is for attributes alone, none of which
     *        Apply() found in any part of the run
     */
    void RequireEffect(const std::set<std::string>& options) const;

  private:
    /** One attribute. */
    struct Setting
    {
        std::string option; //!< name of the option
        TypeId type;        //!< that has the attribute
        std::string name;   //!< of the attribute
        std::string value;  //!< as text
    };

    std::vector<Setting> m_settings;         //!< all that have a value
    mutable std::set<std::string> m_applied; //!< options of which Apply() set an attribute
};

/**
 * @ingroup dlearn
 * Refuse options that a user gave and that have no effect because of other options.
 *
 * @param spec what to run
 * @throw std::invalid_argument naming the option and what it needs
 */
void RefuseUselessOptions(const RunSpec& spec);

/**
 * @ingroup dlearn
 * Refuse attributes that were changed, by Config::SetDefault or on the command line, and that an
 * option would set to something else.
 *
 * @param spec what to run
 * @throw std::invalid_argument naming the attribute and the option
 */
void RefuseOverwrittenAttributes(const RunSpec& spec);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_OPTIONS_H
