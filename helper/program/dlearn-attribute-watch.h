/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTRIBUTE_WATCH_H
#define DLEARN_ATTRIBUTE_WATCH_H

#include "ns3/attribute.h"
#include "ns3/object.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @return every attribute of a registered type whose default is not the one it was built
 *         with: what Config::SetDefault and the command line changed, by full name. An object is
 *         described by its type and the attributes that it has not by default.
 */
std::map<std::string, std::string> GetChangedAttributes();

/**
 * @ingroup dlearn
 * Finds out which of the defaults that a user changed are in force in a simulation.
 *
 * A default has no effect when no object of its type is created, and when the code that creates the
 * objects gives them another value. So this counts the objects that are created with the default,
 * and compares the values of the objects that exist. Neither is enough alone: code can set another
 * value after creation, and not all objects can be found.
 */
class AttributeWatch
{
  public:
    /**
     * Begin to count, before the simulation is built.
     * @param typed attributes that a user gave, by full name, with their text; they count as
     * changed even when the value is that of ns-3
     */
    explicit AttributeWatch(const std::map<std::string, std::string>& typed);
    ~AttributeWatch();

    AttributeWatch(const AttributeWatch&) = delete;
    AttributeWatch& operator=(const AttributeWatch&) = delete;

    /** @param objects of the simulation that no path of ns3::Config reaches; null for none */
    void AddObjects(const std::vector<Ptr<const Object>>& objects)
    {
        m_objects.insert(m_objects.end(), objects.begin(), objects.end());
    }

    /**
     * Refuse what a user asked for without effect in a simulation that is built. Objects of the
     * Internet stack, of traffic control and of LTE are created while the simulation runs, too;
     * what has no object of its type yet is left to RequireEffect() where these are in use. A
     * script may set defaults for other simulations besides this one, of which this one has no
     * objects.
     *
     * @throw std::invalid_argument naming the attribute, and why it has no effect
     */
    void CheckBuilt();

    /**
     * After CheckBuilt().
     *
     * @param typed what a user gave, and no script; it may be for another run
     * @param warnings get one for each default that a script set, and that no object of its type
     *        has
     */
    void AddReplaced(const std::map<std::string, std::string>& typed,
                     std::vector<std::string>& warnings) const;

    /**
     * Look at all objects that exist. After the simulation and before it is destroyed this is what
     * RequireEffect() and GetUsed() tell of.
     */
    void Compare();

    /**
     * After Compare(): refuse what a user asked for without effect.
     * @throw std::invalid_argument naming the attribute, and why it has no effect
     */
    void RequireEffect() const;

    /** @return the changed attributes that are in force, with their values */
    std::map<std::string, std::string> GetUsed() const;

  private:
    /** One changed default. */
    struct Change
    {
        std::string name;                  //!< full name
        std::string text;                  //!< value as text
        bool typed{false};                 //!< whether a user asked for it
        TypeId type;                       //!< that has the attribute
        size_t index{0};                   //!< of the attribute in its type
        std::string value;                 //!< as a value of an object prints
        Ptr<const AttributeValue> initial; //!< the default, as the user set it
        Ptr<const AttributeValue> counted; //!< stands for it meanwhile; null when it does not count
        std::shared_ptr<uint64_t> created; //!< objects created with it; null: not known
        uint64_t objects{0};               //!< of the type, that exist
        uint64_t carriers{0};              //!< of these, with the value
        std::string idle;                  //!< why it has no effect on another; empty for none
    };

    /** @return why a change has no effect; empty if it has one */
    static std::string FindFault(const Change& change);

    std::vector<Change> m_changes;            //!< all changed defaults
    std::set<std::string> m_groups;           //!< of the types of objects that exist
    std::vector<Ptr<const Object>> m_objects; //!< that no path reaches
};

} // namespace ns3::dlearn

#endif // DLEARN_ATTRIBUTE_WATCH_H
