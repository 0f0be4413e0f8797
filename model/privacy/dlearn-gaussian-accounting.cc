/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gaussian-accounting.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <unsupported/Eigen/FFT>

namespace ns3::dlearn
{

namespace
{

/**
 * The scaled complementary error function, which neither over- nor underflows.
 *
 * @param x at least -1
 * @return exp(x^2) erfc(x), with a relative error below 1e-14
 */
double
ScaledErfc(double x)
{
    if (x < 5)
    {
        return std::exp(x * x) * std::erfc(x);
    }
    // Laplace's continued fraction 1/sqrt(pi) 1/(x + (1/2)/(x + (2/2)/(x + ...))), which needs
    // the fewer terms the larger x is; 40 are enough from 5 on.
    double denominator = x;
    for (int k = 40; k > 0; --k)
    {
        denominator = x + 0.5 * k / denominator;
    }
    return 1 / (std::sqrt(M_PI) * denominator);
}

void
RequireDelta(const char* where, double delta)
{
    Require(delta > 0 && delta < 1, "{}: delta must be in (0, 1), got {}", where, delta);
}

/** @return ScaledErfc(low) - ScaledErfc(low + width), low at least -1 and width at least 0 */
double
GetScaledErfcDrop(double low, double width)
{
    if (width > 1e-4)
    {
        return ScaledErfc(low) - ScaledErfc(low + width);
    }
    // Less cancels in the slope 2 x ScaledErfc(x) - 2/sqrt(pi); the cubic term is below 1e-9.
    const double middle = low + width / 2;
    return width * (M_2_SQRTPI - 2 * middle * ScaledErfc(middle));
}

/** @return the largest number up to high that is accepted, to the last bit; 0 is taken to be */
template <typename Accepts>
double
FindLargest(const Accepts& accepts, double high)
{
    if (accepts(high))
    {
        return high;
    }
    double low = 0;
    for (double middle = high / 2; middle > low && middle < high; middle = (low + high) / 2)
    {
        (accepts(middle) ? low : high) = middle;
    }
    return low;
}

} // namespace

double
GaussianRate(double sensitivity, double sigma)
{
    RequireNonNegative("GaussianRate", "sensitivity", sensitivity);
    RequireNonNegative("GaussianRate", "sigma", sigma);
    if (sensitivity == 0)
    {
        return 0;
    }
    const double ratio = sensitivity / sigma;
    return ratio * ratio / 2;
}

double
GaussianDelta(double rate, double epsilon)
{
    const double mu = M_SQRT2 * std::sqrt(rate);
    if (std::isinf(mu))
    {
        return 1;
    }
    if (mu == 0 || std::isinf(epsilon))
    {
        return 0;
    }
    // Phi(-x sqrt(2)) = erfc(x)/2, and exp(epsilon) takes exp(-(high^2 - low^2)) away.
    const double low = (epsilon / mu - mu / 2) * M_SQRT1_2;
    const double width = mu * M_SQRT1_2;
    const double scale = std::exp(-low * low) / 2;
    return low < -1 ? std::erfc(low) / 2 - scale * ScaledErfc(low + width)
                    : scale * GetScaledErfcDrop(low, width);
}

double
GaussianEpsilon(double rate, double delta)
{
    const double bound = ClassicGaussianEpsilon(rate, delta); // refuses wrong arguments
    if (!std::isfinite(bound))
    {
        return INFINITE;
    }
    if (GaussianDelta(rate, 0) <= delta)
    {
        return 0;
    }
    const auto exceeds = [&](double epsilon) { return GaussianDelta(rate, epsilon) > delta; };
    return std::nextafter(FindLargest(exceeds, bound), INFINITE);
}

double
GaussianRateOf(double epsilon, double delta)
{
    RequireDelta("GaussianRateOf", delta);
    if (std::isinf(epsilon))
    {
        return INFINITE;
    }
    const auto accepts = [&](double rate) { return GaussianDelta(rate, epsilon) <= delta; };
    double high = 1;
    while (accepts(high) && high < 1e300)
    {
        high *= 2;
    }
    return FindLargest(accepts, high);
}

double
ClassicGaussianEpsilon(double rate, double delta)
{
    RequireDelta("ClassicGaussianEpsilon", delta);
    return rate + 2 * std::sqrt(rate * -std::log(delta));
}

namespace
{

/** Part of delta for the losses beyond each end of the grid. */
constexpr double LEFT_OUT = 1e-6;

/** Most points of the grid of epsilon, and half of those of a round; with more the step becomes
 *  larger. */
constexpr double MOST_POINTS = 1 << 18;

/** Largest step, whose exponential must not overflow. */
constexpr double LARGEST_STEP = 50;

/** Where all examples cost more in every round, sampling is not counted. */
constexpr double USELESS_EPSILON = 1e5;

/** The privacy loss of a round, on multiples of a step. */
struct RoundLoss
{
    Eigen::ArrayXd losses; //!< from -K to K steps
    Eigen::ArrayXd probabilities;
    double highest{0};  //!< largest loss that has a probability
    double infinite{0}; //!< probability of an infinite loss
    double rounds{0};   //!< how many rounds have it
};

/** The two distributions of a round. */
enum class Pair
{
    FIXED,    //!< samples of a fixed size, one example of which another one replaces
    REPLACED, //!< with an example, then with the one that replaces it
    WITH,     //!< with the example, then without it
    WITHOUT   //!< without the example, then with it
};

/** @return delta of a round at epsilon, at least 0: its profile */
double
GetProfile(const GaussianRounds& kind, Pair pair, double epsilon)
{
    if (pair == Pair::WITHOUT)
    {
        // E_N(0)[max(0, 1 - exp(epsilon) ((1-q) + q R))], R the ratio of N(mu) to N(0).
        const double left = 1 - std::exp(epsilon) * (1 - kind.sampling);
        return left <= 0 ? 0
                         : left * GaussianDelta(kind.rate,
                                                epsilon + std::log(kind.sampling) - std::log(left));
    }
    if (pair == Pair::REPLACED)
    {
        // With m = mu/2, densities at x = (epsilon/2 + t)/m have the ratio exp(epsilon). There N(m)
        // is a mean of the other ones, exp(-2 t) of N(-m), the rest of N(0).
        const double middle = std::sqrt(kind.rate / 2);
        const double sine = std::log(1 / kind.sampling - 1) + kind.rate / 4 + epsilon / 2 +
                            std::log(-std::expm1(-epsilon) / 2); // ln sinh(t)
        const double t = sine > 20 ? sine + M_LN2 : std::asinh(std::exp(sine));
        const double other = std::exp(-2 * t);
        const double width = middle * M_SQRT1_2;
        const double low = (epsilon / 2 + t) / middle * M_SQRT1_2 - width;
        const double scale = std::exp(-low * low) / 2;
        return kind.sampling *
               (low < -1 ? std::erfc(low) / 2 - scale * ((1 - other) * ScaledErfc(low + width) +
                                                         other * ScaledErfc(low + 2 * width))
                         : scale * ((1 - other) * GetScaledErfcDrop(low, width) +
                                    other * GetScaledErfcDrop(low, 2 * width)));
    }
    const double base = epsilon > 600 ? epsilon - std::log(kind.sampling)
                                      : std::log1p(std::expm1(epsilon) / kind.sampling);
    return kind.sampling * GaussianDelta(kind.rate, base);
}

/** @return a loss that a round exceeds with a probability of at most left, of any pair */
double
GetLargestLoss(const GaussianRounds& kind, double left)
{
    const double base = GaussianEpsilon(kind.rate, std::min(0.5, left / kind.sampling));
    return base > 600 ? base + std::log(kind.sampling)
                      : std::log1p(kind.sampling * std::expm1(base));
}

/**
 * @param kind of the round
 * @param pair of distributions
 * @param step of the grid
 * @param left largest probability of losses beyond the grid
 * @return the loss whose profile, as a function of exp(epsilon), joins the points of the round's
 *         by straight lines, and which is therefore never below it
 */
RoundLoss
MakeLoss(const GaussianRounds& kind, Pair pair, double step, double left)
{
    const double last = std::ceil(GetLargestLoss(kind, left) / step);
    const auto size = static_cast<Eigen::Index>(std::max(1.0, last));
    // Of both orders of the pair: the loss -x is exp(-x) times as likely as x in the other order.
    const Pair other = pair == Pair::WITH      ? Pair::WITHOUT
                       : pair == Pair::WITHOUT ? Pair::WITH
                                               : pair;
    Eigen::ArrayXd profile(size + 1);
    Eigen::ArrayXd reverse(size + 1);
    for (Eigen::Index k = 0; k <= size; ++k)
    {
        profile[k] = GetProfile(kind, pair, static_cast<double>(k) * step);
        reverse[k] =
            other == pair ? profile[k] : GetProfile(kind, other, static_cast<double>(k) * step);
    }
    RoundLoss loss;
    loss.rounds = kind.rounds;
    loss.infinite = profile[size];
    loss.losses = Eigen::ArrayXd::LinSpaced(2 * size + 1, -step * size, step * size);
    loss.probabilities.resize(2 * size + 1);
    // Where the slope changes is a probability.
    const double growth = std::expm1(step);
    loss.probabilities[size] =
        std::max(0.0, 1 - ((growth + 2) * profile[0] - profile[1] - reverse[1]) / growth);
    const auto bend = [&](const Eigen::ArrayXd& deltas, Eigen::Index k) {
        const double after = k < size ? deltas[k] - deltas[k + 1] : 0;
        return std::max(0.0, ((growth + 1) * (deltas[k - 1] - deltas[k]) - after) / growth);
    };
    for (Eigen::Index k = 1; k <= size; ++k)
    {
        loss.probabilities[size + k] = bend(profile, k);
        loss.highest = loss.probabilities[size + k] > 0 ? loss.losses[size + k] : loss.highest;
        loss.probabilities[size - k] = std::exp(-step * k) * bend(reverse, k);
    }
    return loss;
}

/** A logarithmic moment of the composed loss. */
struct LogMoment
{
    double value{0}; //!< ln E[exp(tilt loss)]
    double slope{0}; //!< its derivative: mean of the loss when it is tilted by exp(tilt loss)
};

/** The loss of all rounds, before it is composed. */
class ComposedLoss
{
  public:
    /**
     * @param releases kinds of rounds
     * @param pair of distributions
     * @param step of the grid
     * @param left see MakeLoss(), of all rounds
     */
    ComposedLoss(const std::vector<GaussianRounds>& releases, Pair pair, double step, double left)
        : m_step(step)
    {
        for (const GaussianRounds& kind : releases)
        {
            m_parts.push_back(MakeLoss(kind, pair, step, left / (kind.rounds * releases.size())));
        }
    }

    /** @return the logarithmic moment */
    LogMoment GetMoment(double tilt) const
    {
        LogMoment moment;
        for (const RoundLoss& part : m_parts)
        {
            const Eigen::ArrayXd tilted = Tilt(part, tilt);
            const double sum = tilted.sum();
            moment.value += part.rounds * (std::log(sum) + tilt * part.highest);
            moment.slope += part.rounds * (tilted * part.losses).sum() / sum;
        }
        return moment;
    }

    /** @return the tilt whose Chernoff bound GetBound() at ln(1/delta) is the least */
    double FindTilt(double logInverse) const
    {
        double low = std::log(1e-7 / m_step);
        double high = std::log(50 / m_step);
        for (int halving = 0; halving < 18; ++halving)
        {
            const double middle = (low + high) / 2;
            const double tilt = std::exp(middle);
            const LogMoment moment = GetMoment(tilt);
            (tilt * moment.slope - moment.value < logInverse ? low : high) = middle;
        }
        return std::exp(low);
    }

    /** @return a loss that is exceeded with a probability of at most delta */
    double GetBound(double tilt, double logInverse) const
    {
        return (GetMoment(tilt).value + logInverse) / tilt;
    }

    /**
     * Tilted losses are composed, as those that matter for delta are the likely ones then,
     * modulo the width of a window. Losses beyond its upper end count as infinite; rare
     * losses below its lower end wrap to the upper one, where they cost too much.
     *
     * @param delta in (0, 1)
     * @return epsilon
     */
    double GetEpsilon(double delta) const
    {
        const double logInverse = -std::log(delta);
        const double tilt = FindTilt(logInverse);
        const double value = GetMoment(tilt).value;
        const double beyond = logInverse - std::log(LEFT_OUT);
        const double highest = GetBound(FindTilt(beyond), beyond);
        const double lowest = (value - 25) / (tilt + 1); // tilted, less has probability exp(-25)
        const double points = std::ceil((highest - lowest) / m_step) + 2;
        const auto size = static_cast<int64_t>(std::exp2(std::ceil(std::log2(points))));
        const std::vector<double> composed = Compose(tilt, size);
        // Relative to delta, and exp(-loss) relative to the newest one.
        double above = LEFT_OUT;
        for (const RoundLoss& part : m_parts)
        {
            above += part.rounds * part.infinite / delta;
        }
        double weighted = 0;
        for (auto k = static_cast<int64_t>(highest / m_step); k >= 0; --k)
        {
            const double loss = static_cast<double>(k) * m_step;
            const double probability = std::max(0.0, composed[k % size]);
            const double share = probability * std::exp(value - tilt * loss + logInverse);
            const double next = weighted * std::exp(-m_step);
            if (above - next >= 1)
            {
                return loss + m_step + std::log((above - 1) / weighted);
            }
            above += share;
            weighted = next + share;
        }
        return 0;
    }

  private:
    /** @return the probabilities times exp(tilt loss), up to a factor; losses without a probability
     *          do not make it overflow */
    static Eigen::ArrayXd Tilt(const RoundLoss& part, double tilt)
    {
        return (part.probabilities > 0)
            .select(part.probabilities * (tilt * (part.losses - part.highest).min(0)).exp(), 0);
    }

    /** @return probabilities of the composed tilted loss, in steps modulo the size */
    std::vector<double> Compose(double tilt, int64_t size) const
    {
        Eigen::FFT<double> transform;
        Eigen::ArrayXcd product = Eigen::ArrayXcd::Ones(size);
        for (const RoundLoss& part : m_parts)
        {
            const Eigen::Index middle = part.losses.size() / 2;
            Eigen::ArrayXd tilted = Tilt(part, tilt);
            tilted /= tilted.sum();
            std::vector<std::complex<double>> wrapped(size);
            for (Eigen::Index k = 0; k < tilted.size(); ++k)
            {
                wrapped[((k - middle) % size + size) % size] += tilted[k];
            }
            std::vector<std::complex<double>> spectrum;
            transform.fwd(spectrum, wrapped);
            product *= Eigen::Map<Eigen::ArrayXcd>(spectrum.data(), size).pow(part.rounds);
        }
        std::vector<std::complex<double>> composed;
        transform.inv(composed, std::vector<std::complex<double>>(product.begin(), product.end()));
        std::vector<double> real;
        for (const auto& probability : composed)
        {
            real.push_back(probability.real());
        }
        return real;
    }

    double m_step;                  //!< of the grid
    std::vector<RoundLoss> m_parts; //!< of each kind of rounds
};

} // namespace

double
ComposeGaussians(const std::vector<GaussianRounds>& releases,
                 double delta,
                 std::optional<Adjacency> poisson)
{
    double rate = 0;
    double rounds = 0;
    double variance = 0; // of the loss, roughly, while it is small
    bool sampled = false;
    std::vector<GaussianRounds> kinds;
    for (const GaussianRounds& kind : releases)
    {
        Require(kind.sampling > 0 && kind.sampling <= 1,
                "ComposeGaussians: sampling must be in (0, 1], got {}",
                kind.sampling);
        if (kind.rate > 0 && kind.rounds > 0)
        {
            rate += kind.rounds * kind.rate;
            rounds += kind.rounds;
            variance += kind.rounds * kind.sampling * kind.sampling * std::expm1(2 * kind.rate);
            sampled = sampled || kind.sampling < 1;
            kinds.push_back(kind);
        }
    }
    // Whoever knows the samples knows no less.
    const double bound = GaussianEpsilon(rate, delta);
    if (!sampled || bound == 0 || bound > USELESS_EPSILON)
    {
        return bound;
    }
    // A straight line exceeds a convex curve by a part of up to tilt (tilt + 1) step^2 / 8 in the
    // moment of a round. The step is such that this changes epsilon by 2 parts in 10000; it settles
    // in a few rounds, always the same number, for epsilon to be smooth in the rates.
    const double logInverse = -std::log(delta);
    const double scale = std::min(bound, variance / 2 + std::sqrt(2 * variance * logInverse));
    double least = 0; // step; larger than below where losses are far above epsilon, which grows
    for (const GaussianRounds& kind : kinds)
    {
        const double left = LEFT_OUT * delta / (kind.rounds * kinds.size());
        least =
            std::max(least, std::min(LARGEST_STEP, GetLargestLoss(kind, left) / (2 * MOST_POINTS)));
    }
    const auto compose = [&](Pair pair) {
        double step = std::clamp(scale / 64, least, LARGEST_STEP);
        double epsilon = bound;
        for (int round = 0; round < 4; ++round)
        {
            const ComposedLoss loss(kinds, pair, step, LEFT_OUT * delta);
            const double tilt = loss.FindTilt(logInverse);
            epsilon = round < 2 ? loss.GetBound(tilt, logInverse) : loss.GetEpsilon(delta);
            const double size = std::max(epsilon, 1e-3 * scale);
            step = std::clamp(std::sqrt(0.0016 * size / (rounds * (tilt + 1))),
                              std::max(least, 2 * size / MOST_POINTS),
                              LARGEST_STEP);
        }
        return std::min(bound, epsilon);
    };
    return !poisson ? compose(Pair::FIXED)
           : poisson == Adjacency::ADD_REMOVE
               ? std::max(compose(Pair::WITH), compose(Pair::WITHOUT))
               : compose(Pair::REPLACED);
}

} // namespace ns3::dlearn
