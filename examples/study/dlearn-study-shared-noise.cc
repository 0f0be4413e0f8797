/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-byzantine.h"

#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-presets.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

/**
 * @file
 * What a network that loses packets does to noise that cancels only if all messages arrive.
 */

namespace ns3::dlearn
{

namespace
{

/** A way to protect, and whether what the lost share is repaired. */
struct Protection
{
    std::string name;   //!< in table and legend
    std::string model;  //!< of privacy
    bool repair{false}; //!< whether noise shared with the lost is taken away
};

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

/** Write samples of which every gradient is 0, so that messages are noise alone. */
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

/** @return a run on such samples, at a packet loss */
RunSpec
MakeNoiseOptions(const ByzantineParameters& p, const std::string& file, double loss)
{
    RunSpec options = MakePrivacyOptions(p);
    options.task = "softmax";
    options.data = file;
    options.testFraction = 0;
    options.regularization = 0;
    options.aggregator = "Average";
    options.view = "lemma"; // all noise is shared
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
    NoiseFigure()
    {
        m_measured.style = FigureSeries::Style::POINTS;
    }

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
            // Among those that arrived noise cancels; what they share with the others does not.
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
    bool IsGood() const
    {
        return m_good;
    }

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
        double predicted{0}; //!< likewise, by the theory
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

} // namespace

bool
RunLossFigure(const ByzantineParameters& p)
{
    std::cout << "Loss of packets at the same epsilon, n = 100, f = 5, no attack, UDP over p2p, "
              << p.runs << (p.runs == 1 ? " run" : " runs") << "\n\n";
    const std::vector<Protection> protections{{"CDP", "cdp"},
                                              {"SecLDP", "secldp"},
                                              {"SecLDP, repaired", "secldp", true},
                                              {"ByzLDP", "byzldp"},
                                              {"ByzLDP, repaired", "byzldp", true},
                                              {"LDP", "ldp"}};
    const auto losses = GetLosses(p.quick);
    std::string table = "protection,packet_loss,delivered,delivered_low,delivered_high,accuracy,"
                        "accuracy_low,accuracy_high,epsilon,epsilon_low,epsilon_high\n";
    StudyFigure accuracy("CafCor on a lossy network", "lost updates (share)", "test accuracy");
    StudyFigure epsilon("What was spent", "lost updates (share)", "largest epsilon of a worker");
    std::map<std::string, std::vector<double>> means;
    for (const Protection& protection : protections)
    {
        std::vector<double> lost;
        std::vector<Spread> accuracies;
        std::vector<Spread> epsilons;
        for (const double loss : losses)
        {
            RunSpec options = MakePrivacyOptions(p);
            options.network = "p2p";
            options.transport = "udp";
            options.loss = loss;
            options.deadline = "5s";
            options.threatModel = protection.model;
            options.noiseRecovery = protection.repair;
            options.evaluateEvery = options.rounds;
            ByzantineSetting setting{{protection.name + ", loss " + FormatShortest(loss)}, options};
            RunSetting(p, setting);
            const StudyPoint& end = setting.curve.GetEnd();
            lost.push_back(1 - end.delivered.GetMean());
            accuracies.push_back(end.accuracy);
            epsilons.push_back(end.epsilon);
            means[protection.name].push_back(end.accuracy.GetMean());
            table += EscapeCsv(protection.name) + "," + FormatShortest(loss) +
                     FormatFields(end.delivered) + FormatFields(end.accuracy) +
                     FormatFields(end.epsilon) + "\n";
        }
        accuracy.Add(MakeSeries(protection.name, lost, accuracies));
        epsilon.Add(MakeSeries(protection.name, lost, epsilons));
    }
    epsilon.SetLogY();
    WriteTextFile(p.out + "/loss.csv", table);
    accuracy.Write(p.out + "/loss-accuracy.figure.csv");
    epsilon.Write(p.out + "/loss-epsilon.figure.csv");
    const auto drop = [&](const std::string& name, double loss) {
        const auto place = std::find(losses.begin(), losses.end(), loss) - losses.begin();
        return means[name].front() - means[name].at(place);
    };
    bool good = Check(drop("SecLDP", losses.back()) > drop("CDP", losses.back()) + 0.02,
                      "loss costs SecLDP more accuracy than CDP: noise is left uncancelled");
    // At this loss four of five updates arrive; later the corrections get lost, too.
    good &= Check(drop("SecLDP, repaired", 0.005) < 0.5 * drop("SecLDP", 0.005),
                  "the repair makes up for more than half of it while most updates arrive");
    std::cout << "\n";
    return good;
}

bool
RunNoiseFigure(const ByzantineParameters& p)
{
    std::cout << "Noise that loss leaves in the mean of n = 100 messages of 4000 entries, SecLDP, "
                 "UDP over p2p\n\n  packet loss   lost updates   variance / s_cor^2   predicted\n";
    const std::string file = p.out + "/no-features.libsvm";
    WriteSamplesWithoutFeatures(file);
    NoiseFigure figure;
    for (const double loss : GetLosses(p.quick))
    {
        figure.AddRun(MakeNoiseOptions(p, file, loss));
    }
    figure.Write(p.out);
    const bool good =
        Check(figure.IsGood(), "every round's variance is the predicted one, within 5 deviations");
    std::cout << "\n";
    return good;
}

} // namespace ns3::dlearn
