/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What a network that loses packets does to CafCor's noise, which cancels only if all messages
 * arrive (ours; the paper has no network): the variance of the noise that is left in the mean of
 * the messages, and its prediction.
 *
 *   dlearn-study-shared-noise            (half a minute)
 *   dlearn-study-shared-noise --quick    (fewer losses)
 *
 * Writes a table (CSV) and a figure. Exit status: 0 when the prediction holds, to the fluctuations
 * of 4000 entries, 1 when it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-parameters.h"
#include "dlearn-study-report.h"

#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <iostream>
#include <map>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-shared-noise";

/** Squared steps of the server's model, per entry: variance of the noise where all is noise. */
class StepRecorder
{
  public:
    explicit StepRecorder(Ptr<FederatedServer> server)
        : m_server(server)
    {
        m_server->TraceConnectWithoutContext("RoundEnd", MakeCallback(&StepRecorder::Record, this));
    }

    std::vector<double> variances; //!< by round
    std::vector<double> arrived;   //!< messages in the round

  private:
    void Record(const RoundRecord& record)
    {
        const ModelVector& model = m_server->GetRule()->GetModel();
        m_last = m_last.size() == 0 ? ModelVector::Zero(model.size()) : m_last;
        variances.push_back((model - m_last).squaredNorm() / model.size());
        arrived.push_back(record.received);
        m_last = model;
    }

    Ptr<FederatedServer> m_server; //!< watched
    ModelVector m_last;            //!< model of the round before
};

/** @return packet losses of the figures */
std::vector<double>
GetLosses(bool quick)
{
    return quick ? std::vector<double>{0, 0.005, 0.02}
                 : std::vector<double>{0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.03};
}

/** Write samples whose gradients are all 0, so that messages are noise alone. */
void
WriteSamplesWithoutFeatures(const std::string& file)
{
    std::string samples;
    for (int sample = 0; sample < 200; ++sample)
    {
        samples += std::to_string(sample % 2) + " 2000:0\n";
    }
    WriteTextFile(file, samples);
}

/**
 * @return a run on such samples, at a packet loss: the paper's setting of section 5.1, n = 100, f =
 * 5, T = 30
 */
RunSpec
MakeOptions(const std::string& file, double loss)
{
    RunSpec options = CafCorPreset(PROGRAM);
    options.task = "softmax";
    options.data = file;
    options.testFraction = 0;
    options.unitNorm = false;
    options.regularization = 0;
    options.learners = 100;
    options.byzantine = 5;
    options.rounds = 30;
    options.evaluateEvery = 5;
    options.aggregator = "Average";
    options.view = "lemma";                // all noise is shared
    options.targetEpsilon = 24.6118936752; // the noise of 27.8 in the paper
    options.momentum = 0.85;
    options.batchSize = 1;
    options.stepSize = 1;
    options.floatBits = 64;
    options.network = "p2p";
    options.transport = "udp";
    options.loss = loss;
    options.deadline = "1s";
    return options;
}

/** Variance of noise that does not cancel, as measured and as predicted. */
class NoiseFigure
{
  public:
    NoiseFigure() { m_measured.style = FigureSeries::Style::POINTS; }

    /** @param options a run, which is made; a line about it is printed */
    void AddRun(const RunSpec& options)
    {
        Run scenario(options);
        StepRecorder recorder(scenario.GetFederation().server);
        std::ostream nowhere(nullptr);
        scenario.Execute(nowhere);
        const double unit =
            std::pow(scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().correlated, 2);
        const size_t rounds = recorder.arrived.size();
        Round mean;
        for (size_t t = 0; t < rounds; ++t)
        {
            const double missing = options.learners - recorder.arrived[t];
            // Noise shared by arrived messages cancels; noise shared with lost messages does not.
            // Of the noise of k rounds ago, momentum holds (1-beta) beta^k.
            const double beta = options.momentum;
            const double kept = (1 - beta) / (1 + beta) * (1 - std::pow(beta, 2.0 * t + 2));
            const Round round{missing / options.learners,
                              recorder.variances[t] / unit,
                              missing / recorder.arrived[t] * kept};
            m_table += FormatShortest(options.loss) + "," + std::to_string(t) + ",";
            Add(round, 2 * t >= rounds);
            mean.lost += round.lost / rounds;
            mean.variance += round.variance / rounds;
            mean.predicted += round.predicted / rounds;
        }
        std::cout << "  " << options.loss << "\t\t" << FormatRounded(mean.lost, 3) << "\t\t"
                  << FormatRounded(mean.variance, 4) << "\t\t" << FormatRounded(mean.predicted, 4)
                  << "\n";
    }

    /** @return whether the variance of every round is the predicted one */
    bool IsGood() const { return m_good; }

    /** @param folder gets table and figure */
    void Write(const std::string& folder) const
    {
        FigureSeries theory{"s^2 |L|/|S| (1-beta)/(1+beta)", {}, {}};
        theory.style = FigureSeries::Style::DASHED;
        for (const auto& [x, y] : m_predictions)
        {
            theory.x.push_back(x);
            theory.y.push_back(y);
        }
        StudyFigure plot("Noise that does not cancel",
                         "lost updates (share)",
                         "variance / s_cor^2");
        plot.Add(theory);
        plot.Add(m_measured);
        plot.Write(folder + "/noise.figure.csv");
        WriteTextFile(folder + "/noise.csv", m_table);
    }

  private:
    /** A round, or the mean over rounds. */
    struct Round
    {
        double lost{0};      //!< share of the updates
        double variance{0};  //!< of the noise in the step, in units of s_cor^2
        double predicted{0}; //!< by the theory
    };

    /**
     * @param round to check and to write
     * @param full whether momentum is, so that the prediction does not depend on the round
     */
    void Add(const Round& round, bool full)
    {
        m_good &= std::abs(round.variance - round.predicted) <=
                  5 * std::sqrt(2.0 / 4000) * round.predicted + 1e-25;
        m_table += FormatShortest(round.lost) + "," + FormatShortest(round.variance) + "," +
                   FormatShortest(round.predicted) + "\n";
        if (full)
        {
            m_measured.x.push_back(round.lost);
            m_measured.y.push_back(round.variance);
            m_predictions[round.lost] = round.predicted;
        }
    }

    std::string m_table{"packet_loss,round,lost_updates,variance,predicted\n"}; //!< all rounds
    FigureSeries m_measured{"measured, a point a round", {}, {}};               //!< later rounds
    std::map<double, double> m_predictions; //!< by the share of lost updates
    bool m_good{true};                      //!< whether all rounds are as predicted
};

/** @return whether the prediction holds at every loss */
bool
MeasureNoise(const StudyParameters& p)
{
    std::cout << "Noise that loss leaves in the mean of n = 100 messages of 4000 entries, SecLDP, "
                 "UDP over p2p\n\n  packet loss   lost updates   variance / s_cor^2   predicted\n";
    const ResultsDirectory made(p.out);
    const std::string file = p.out + "/no-features.libsvm";
    WriteSamplesWithoutFeatures(file);
    NoiseFigure figure;
    for (const double loss : GetLosses(p.quick))
    {
        figure.AddRun(MakeOptions(file, loss));
    }
    figure.Write(p.out);
    return Check(figure.IsGood(),
                 "every round's variance is the predicted one, within 5 deviations");
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        StudyParameters p(PROGRAM);
        ProgramArguments arguments(__FILE__);
        arguments.Usage(
            "Noise that CafCor's workers share, and its remainder after loss of packets.");
        p.AddCommon(arguments, "fewer losses");
        p.Parse(arguments, argc, argv);
        return MeasureNoise(p);
    });
}
