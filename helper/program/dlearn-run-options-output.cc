/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

namespace ns3::dlearn
{

using namespace run_kinds;
using namespace run_needs;

void
AddOutputOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Output", TheoryEffect::NONE);
    table.Add("runs",
              P | D | F,
              &s.runs,
              "independent runs, from --RngRun on; their mean error goes to model_error.csv");
    table.Add("evaluate-every", P | D | F, &s.evaluateEvery, "evaluate every so many rounds");
    table
        .Add("evaluation-samples",
             P | D | F,
             &s.evaluationSamples,
             "evaluate the loss on so many random training samples, the same in every round, and "
             "the accuracy on so many random test samples; 0: on all")
        .Needs(s.kind != RunKind::FEDERATION || !s.IsLinearGaussian(), DATA_SET);
    table.Add("threads",
              P | D | F,
              &s.threads,
              "threads that compute gradients; results do not depend on it");
    table.Add("out", P | D | F, &s.out, "directory of the results");
    table.Add("time-from",
              P | D | F,
              &s.timeFrom,
              "zero of the times in results and options (churn, faults, files of mobility): ready, "
              "when all learners are (ready_s in summary.json), or start, of the simulation");
    table.Add("transcript",
              P | D | F,
              &s.transcript,
              "write transcript.csv: whose data entered which state, which messages left and came");
    table.Add("netanim",
              P | D | F,
              &s.netanim,
              "file for NetAnim, with the states of learners and every packet: large; of several "
              "runs, of the first");
}

} // namespace ns3::dlearn
