/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STORED_CONFIG_H
#define DLEARN_STORED_CONFIG_H

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the attributes of ns3::ConfigStore ask a program for: to save all defaults of attributes and
 * all global values in a file, or to load them from one.
 *
 * A file is read here and becomes words of the command line, so that each default that it changes
 * is checked and recorded like one that a user typed: ns-3 aborts the program on a default that it
 * cannot read. It is in the format RawText. The values of single objects are neither saved nor
 * loaded: ns-3 ends the program when it reads or sets some of them, such as those of Wi-Fi
 * stations.
 */
class StoredConfig
{
  public:
    /**
     * Look at the defaults of ns3::ConfigStore, which the command line may have changed.
     * @throw std::invalid_argument for a file name that is missing, or has no effect
     * @throw std::runtime_error for a file that cannot be read or written
     */
    StoredConfig();
    /** @return the defaults and global values of the file to load that differ from those that hold,
     *  as words of a command line */
    std::vector<std::string> ReadWords() const;

    /** Save the defaults and global values, if that is asked for. */
    void Save() const;

  private:
    std::string m_mode; //!< None, Load or Save
    std::string m_file; //!< name of the file
};

} // namespace ns3::dlearn

#endif // DLEARN_STORED_CONFIG_H
