/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_EVALUATOR_H
#define DLEARN_CLIENT_EVALUATOR_H

#include "dlearn-evaluator.h"

#include "ns3/dlearn-client-rule.h"

#include <tuple>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How a score spreads over n clients.
 *
 * @param scores x of each client
 * @param rising whether more is better
 * @return the mean m; the standard deviation, the root of sum (x - m)^2 / n; the mean of the worst
 *         n / 10 scores, rounded down, at least one; and Jain's index (sum x)^2 / (n sum x^2),
 *         which is 1 when all are equal, and k / n when k are equal and the others 0 (Jain, Chiu
 *         and Hawe, "A quantitative measure of fairness and discrimination", DEC-TR-301, 1984).
 *         NaN without scores, and when one is NaN
 */
std::tuple<double, double, double, double> MeasureSpread(std::vector<double> scores, bool rising);

/**
 * @ingroup dlearn
 * Measures the server's model by another evaluator, and clients on their own test samples, with
 * their personal model (ClientRule::FindPersonalModel()) or else that of the server. The score of a
 * client is the accuracy or, of tasks without classes, the loss.
 */
class ClientEvaluator : public AddingEvaluator
{
  public:
    /** A client to measure. */
    struct Client
    {
        Ptr<const ClientRule> rule; //!< of the client
        Ptr<const Task> test;       //!< its training data are the client's test samples
    };

    /**
     * @param server measures the server's model
     * @param clients to measure
     */
    ClientEvaluator(std::unique_ptr<ModelEvaluator> server, std::vector<Client> clients)
        : AddingEvaluator(std::move(server)),
          m_clients(std::move(clients))
    {
    }

  private:
    void Add(const ModelVector& model, Evaluation& evaluation) override;

    std::vector<Client> m_clients;
};

} // namespace ns3::dlearn

#endif // DLEARN_CLIENT_EVALUATOR_H
