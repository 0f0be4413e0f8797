/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_CURVE_H
#define DLEARN_STUDY_CURVE_H

#include "dlearn-study-report.h"

#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"

#include <string>
#include <vector>

/**
 * @file
 * What comes of a setting that is run a few times: figures of every evaluated round.
 */

namespace ns3::dlearn
{

/** What is known of one round, over the runs; counts are from the start of the run on. */
struct StudyPoint
{
    double round{0};    //!< rounds done
    Spread time{};      //!< simulated seconds
    Spread megabytes{}; //!< sent by all: what applications gave to sockets, 10^6 bytes
    Spread loss{};      //!< mean over learners, as all that follow up to epsilon
    Spread accuracy{};  //!< on test samples
    Spread error{};     //!< the task's own distance
    Spread regret{};    //!< loss above the least
    Spread epsilon{};   //!< spent, largest of the honest learners
    Spread delivered{}; //!< share of the messages expected by server or peers that came in time
};

/** A column of the table of a curve. */
using StudyColumn = Spread StudyPoint::*;

/** One line of a figure. */
struct StudyCurve
{
    std::string name;                 //!< in table and legend
    std::vector<StudyPoint> points{}; //!< evaluated rounds, after Add()

    /**
     * Simulate a run and add what comes of it.
     *
     * @param run built, not yet run; evaluates the same rounds as those before
     */
    void Add(Run& run);

    /** @return the last round */
    const StudyPoint& GetEnd() const;

    /**
     * @param y of the points
     * @return a line of a plot, against rounds
     */
    FigureSeries MakeSeries(StudyColumn y) const;
};

/**
 * Draw one thing of all curves against rounds; nothing when there is nothing to show.
 *
 * @param path the .figure.csv file
 * @param curves whose points to draw
 * @param plot empty
 * @param y of the points
 */
void DrawCurves(const std::string& path,
                const std::vector<StudyCurve>& curves,
                StudyFigure plot,
                StudyColumn y);

/**
 * Write all points of all curves.
 *
 * @param path the .csv file
 * @param curves whose points to write
 */
void WriteCurves(const std::string& path, const std::vector<StudyCurve>& curves);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_CURVE_H
