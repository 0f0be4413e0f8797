/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-generator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

namespace ns3::dlearn
{

namespace
{

void
RequireCount(const std::string& where, const char* name, uint32_t count)
{
    Require(count >= 1, "{}: {} must be at least 1, got {}", where, name, count);
}

/** The distribution of MakeCategorical(); one entry per column. */
struct CategoricalModel
{
    Eigen::MatrixX2d chances; //!< of the categories (rows) given the label (columns)
    ModelVector truth;        //!< w*, the log of the ratio of the chances
};

CategoricalModel
DrawCategoricalModel(const CategoricalOptions& options, uint64_t columns, int64_t stream)
{
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 0);
    CategoricalModel model{Eigen::MatrixX2d(columns, 2), ModelVector(columns)};
    Eigen::Index first = 0;
    double deviation = options.separation;
    for (const uint32_t count : options.categories)
    {
        Eigen::ArrayXd tilts(count);
        Eigen::ArrayXd priors(count);
        for (uint32_t k = 0; k < count; ++k)
        {
            tilts(k) = deviation * normal->GetValue(0, 1);
            priors(k) = -options.skew * std::log(k + 1.0);
        }
        double logRatio = 0; // log(Z_1a / Z_0a)
        for (const int label : {0, 1})
        {
            const double sign = 2 * label - 1;
            const Eigen::ArrayXd logs = priors + sign / 2 * tilts;
            // Without subtracting the largest, exp() overflows for tilts of many hundreds.
            const double top = logs.maxCoeff();
            const Eigen::ArrayXd weights = (logs - top).exp();
            model.chances.col(label).segment(first, count) = weights / weights.sum();
            logRatio += sign * (top + std::log(weights.sum()));
        }
        model.truth.segment(first, count) = tilts - logRatio;
        first += count;
        deviation *= options.decay;
    }
    Require(model.truth.allFinite(),
            "categorical data: separation must be small enough for finite weights, got ",
            options.separation);
    return model;
}

/** A stroke: the points (x, y) of a connected line, one a column; x to the right and y down. */
using Stroke = Eigen::Matrix2Xd;

constexpr uint32_t GLYPHS = 10; //!< number of different glyphs

Stroke
Line(std::initializer_list<std::pair<double, double>> points)
{
    Stroke stroke(2, static_cast<Eigen::Index>(points.size()));
    Eigen::Index column = 0;
    for (const auto& [x, y] : points)
    {
        stroke.col(column++) << x, y;
    }
    return stroke;
}

/**
 * @return part of the ellipse around (x, y), in points at most 15 degrees apart; angles are in
 *         degrees, 0 to the right and 90 down
 */
Stroke
Curve(double x, double y, double radiusX, double radiusY, int from, int to)
{
    const int steps = (std::abs(to - from) + 14) / 15;
    Stroke stroke(2, steps + 1);
    for (int k = 0; k <= steps; ++k)
    {
        const double angle = (from + (to - from) * double(k) / steps) * std::acos(-1) / 180;
        stroke.col(k) << x + radiusX * std::cos(angle), y + radiusY * std::sin(angle);
    }
    return stroke;
}

/** @return both strokes, joined by a line */
Stroke
Join(const Stroke& first, const Stroke& second)
{
    Stroke joined(2, first.cols() + second.cols());
    joined << first, second;
    return joined;
}

std::vector<std::vector<Stroke>>
MakeGlyphShapes()
{
    return {
        {Curve(.5, .5, .36, .5, 0, 360)},
        {Line({{.3, .22}, {.56, 0}, {.56, 1}})},
        {Join(Curve(.5, .29, .37, .29, 185, 385), Line({{.12, 1}, {.9, 1}}))},
        {Join(Curve(.44, .25, .36, .25, 200, 450), Curve(.44, .74, .42, .26, 280, 520))},
        {Line({{.7, 1}, {.7, 0}, {.08, .68}, {.94, .68}})},
        {Join(Line({{.84, 0}, {.26, 0}, {.2, .46}}), Curve(.46, .68, .4, .32, 230, 510))},
        {Join(Line({{.72, 0}, {.42, .2}}), Curve(.5, .7, .36, .3, 195, 555))},
        {Line({{.1, 0}, {.9, 0}, {.42, 1}})},
        {Curve(.5, .24, .29, .24, 90, 450), Curve(.5, .74, .38, .26, 270, 630)},
        {Join(Curve(.5, .3, .36, .3, 15, 375), Line({{.74, .68}, {.56, 1}}))},
    };
}

/**
 * Draw one piece of a stroke, or a dot: raise the pixels less than @p reach away to the value that
 * it alone gives them. The nearest piece gives the largest, so the order of the pieces does not
 * matter. Columns of the image are the rows of the picture.
 */
void
DrawPiece(const Eigen::Vector2d& from,
          const Eigen::Vector2d& to,
          double reach,
          Eigen::Ref<Eigen::MatrixXd> image)
{
    const Eigen::Vector2d along = to - from;
    const double squared = along.squaredNorm();
    const double last = double(image.rows()) - 1;
    // Pixels outside of this box are too far away. Clamped before the conversion to whole numbers.
    const auto bound = [last](double value) {
        return static_cast<Eigen::Index>(std::clamp(value, -1.0, last + 1));
    };
    const Eigen::Vector2d low = from.cwiseMin(to).array() - reach - .5;
    const Eigen::Vector2d high = from.cwiseMax(to).array() + reach - .5;
    const Eigen::Index lastRow = std::min(bound(std::ceil(high.y())), image.cols() - 1);
    const Eigen::Index lastColumn = std::min(bound(std::ceil(high.x())), image.rows() - 1);
    for (Eigen::Index row = std::max<Eigen::Index>(bound(low.y()), 0); row <= lastRow; ++row)
    {
        for (Eigen::Index column = std::max<Eigen::Index>(bound(low.x()), 0); column <= lastColumn;
             ++column)
        {
            const Eigen::Vector2d offset = Eigen::Vector2d(column + .5, row + .5) - from;
            const double place =
                squared > 0 ? std::clamp(offset.dot(along) / squared, 0.0, 1.0) : 0.0;
            const double value = reach - (offset - place * along).norm();
            double& pixel = image(column, row);
            pixel = std::max(pixel, std::min(value, 1.0));
        }
    }
}

/** @return the side^2 pixels, row by row, as MakeGlyphs() describes them */
Eigen::VectorXd
DrawStrokes(const std::vector<Stroke>& strokes, double width, uint32_t side)
{
    Eigen::MatrixXd image = Eigen::MatrixXd::Zero(side, side);
    for (const Stroke& stroke : strokes)
    {
        DrawPiece(stroke.col(0), stroke.col(0), width / 2 + .5, image);
        for (Eigen::Index k = 1; k < stroke.cols(); ++k)
        {
            DrawPiece(stroke.col(k - 1), stroke.col(k), width / 2 + .5, image);
        }
    }
    return image.reshaped();
}

const double PI = std::acos(-1);
constexpr uint32_t SIDE = 28;       //!< of an image, in pixels
constexpr double GLYPH_HEIGHT = 18; //!< of a glyph that is not distorted, in pixels

/** The random numbers of the samples in order, each kind from its own stream. */
struct GlyphRandom
{
    Ptr<UniformRandomVariable> labels; //!< which glyph
    Ptr<UniformRandomVariable> poses;  //!< position, width of the pen, phases of the field
    Ptr<NormalRandomVariable> waves;   //!< amplitudes and frequencies of the field
    Ptr<NormalRandomVariable> noise;   //!< on the pixels

    double DrawBothWays(double limit) const { return poses->GetValue(-limit, limit); }
};

/** The smooth displacement u of MakeGlyphs(). */
class ElasticField
{
  public:
    ElasticField(double jitter, const GlyphRandom& random)
    {
        const double deviation = jitter / std::sqrt(double(m_waves.size()));
        for (Wave& wave : m_waves)
        {
            for (const int axis : {0, 1})
            {
                wave.amplitude(axis) = deviation * random.waves->GetValue(0, 1);
                wave.frequency(axis) = PI / GLYPH_HEIGHT * random.waves->GetValue(0, 1);
            }
            wave.phase = random.poses->GetValue(0, 2 * PI);
        }
    }

    Eigen::Vector2d operator()(const Eigen::Vector2d& point) const
    {
        Eigen::Vector2d displacement(0, 0);
        for (const Wave& wave : m_waves)
        {
            displacement += wave.amplitude * std::sin(wave.frequency.dot(point) + wave.phase);
        }
        return displacement;
    }

  private:
    struct Wave
    {
        Eigen::Vector2d amplitude; //!< a, in pixels
        Eigen::Vector2d frequency; //!< 2 pi k / height, in radians a pixel
        double phase;              //!< phi, in radians
    };

    std::array<Wave, 3> m_waves; //!< u is their sum
};

/** @return a stroke with no piece longer than 1/8, so that an elastic field can bend it */
Stroke
Subdivide(const Stroke& stroke)
{
    std::vector<Eigen::Vector2d> points{stroke.col(0)};
    for (Eigen::Index k = 1; k < stroke.cols(); ++k)
    {
        const Eigen::Vector2d along = stroke.col(k) - stroke.col(k - 1);
        const int pieces = std::max(1, static_cast<int>(std::ceil(8 * along.norm())));
        for (int piece = 1; piece <= pieces; ++piece)
        {
            points.emplace_back(stroke.col(k - 1) + along * piece / pieces);
        }
    }
    Stroke fine(2, static_cast<Eigen::Index>(points.size()));
    for (size_t k = 0; k < points.size(); ++k)
    {
        fine.col(k) = points[k];
    }
    return fine;
}

void
Distort(const GlyphOptions& options, const GlyphRandom& random, std::vector<Stroke>& strokes)
{
    const ElasticField field(options.jitter, random);
    const double angle = random.DrawBothWays(options.rotation * PI / 180);
    const double shear = random.DrawBothWays(options.shear);
    const double stretchX = std::exp(random.DrawBothWays(options.scale));
    const double stretchY = std::exp(random.DrawBothWays(options.scale));
    const double shiftX = random.DrawBothWays(options.translation);
    const double shiftY = random.DrawBothWays(options.translation);
    Eigen::Matrix2d sheared;
    sheared << stretchX, shear * stretchY, 0, stretchY;
    Eigen::Matrix2d rotation;
    rotation << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
    const Eigen::Matrix2d linear = rotation * sheared;
    const Eigen::Vector2d centre(SIDE / 2. + shiftX, SIDE / 2. + shiftY);
    for (Stroke& stroke : strokes)
    {
        for (Eigen::Index k = 0; k < stroke.cols(); ++k)
        {
            const Eigen::Vector2d point = stroke.col(k);
            stroke.col(k) = centre + linear * (point + field(point));
        }
    }
}

} // namespace

ModelVector
DrawSparse(uint32_t size,
           uint32_t nonZeros,
           UniformRandomVariable& places,
           NormalRandomVariable& normal)
{
    const SampleIndices order = RandomOrder(size, places);
    ModelVector result = ModelVector::Zero(size);
    for (uint32_t k = 0; k < nonZeros; ++k)
    {
        result(order[k]) = normal.GetValue(0, 1);
    }
    return result;
}

void
DrawLinearGaussian(Dataset& data,
                   double noiseStd,
                   NormalRandomVariable& features,
                   NormalRandomVariable& noise)
{
    for (auto& feature : data.features.reshaped())
    {
        feature = features.GetValue();
    }
    data.labels.noalias() = data.features.transpose() * data.truth;
    for (auto& target : data.labels)
    {
        target += noiseStd * noise.GetValue();
    }
}

Dataset
MakeLinearGaussian(const LinearGaussianOptions& options, int64_t stream)
{
    const std::string where = "linear Gaussian data";
    RequireCount(where, "samples", options.samples);
    RequireCount(where, "features", options.features);
    RequireNonNegative(where, "noiseStd", options.noiseStd);
    RequireDenseSize(where, options.features, options.samples);
    const bool given = options.truth.size() > 0;
    const uint32_t most = given ? 0 : options.features;
    Require(options.nonZeros <= most,
            "{}: nonZeros must be at most {}{}, got {}",
            where,
            most,
            given ? " when truth is given" : " (features)",
            options.nonZeros);
    if (given)
    {
        RequireSize(where, "truth", options.truth.size(), options.features);
        Require(options.truth.allFinite(), where, ": truth must be finite");
    }

    Dataset data;
    data.name = "linear-gaussian";
    if (given)
    {
        data.truth = options.truth;
    }
    else
    {
        const auto places = CreateSeeded<UniformRandomVariable>(stream, 0);
        const auto values = CreateSeeded<NormalRandomVariable>(stream, 1);
        const uint32_t nonZeros = options.nonZeros > 0 ? options.nonZeros : options.features;
        data.truth = DrawSparse(options.features, nonZeros, *places, *values);
    }
    data.features.resize(options.features, options.samples);
    const auto normal = CreateSeeded<NormalRandomVariable>(stream, 2);
    const auto noise = CreateSeeded<NormalRandomVariable>(stream, 3);
    DrawLinearGaussian(data, options.noiseStd, *normal, *noise);
    return data;
}

Dataset
MakeCategorical(const CategoricalOptions& options, int64_t stream)
{
    const std::string where = "categorical data";
    RequireCount(where, "samples", options.samples);
    RequireNonNegative(where, "skew", options.skew);
    RequireNonNegative(where, "separation", options.separation);
    Require(options.decay >= 0 && options.decay <= 1,
            "{}: decay must be from 0 to 1, got {}",
            where,
            options.decay);
    Require(!options.categories.empty(), where, ": categories must list at least 1 attribute");
    uint64_t columns = 0;
    for (const uint32_t count : options.categories)
    {
        Require(count >= 1,
                "{}: categories of an attribute must be at least 1, got {}",
                where,
                count);
        columns += count;
    }
    RequireDenseSize(where, columns, options.samples);

    Dataset data;
    data.name = "categorical";
    data.classes = 2;
    data.labelNames = {"0", "1"};
    const CategoricalModel model = DrawCategoricalModel(options, columns, stream);
    data.truth = model.truth;
    data.features = Eigen::MatrixXd::Zero(columns, options.samples);
    data.labels.resize(options.samples);
    const auto categories = CreateSeeded<UniformRandomVariable>(stream, 1);
    const auto labels = CreateSeeded<UniformRandomVariable>(stream, 2);
    for (uint32_t sample = 0; sample < options.samples; ++sample)
    {
        const int label = labels->GetValue(0, 1) < 0.5 ? 0 : 1;
        data.labels(sample) = label;
        Eigen::Index first = 0;
        for (const uint32_t count : options.categories)
        {
            // Inverse distribution function; the last category takes what rounding leaves.
            Eigen::Index column = first;
            double left = categories->GetValue(0, 1) - model.chances(column, label);
            while (left >= 0 && column + 1 < first + Eigen::Index(count))
            {
                left -= model.chances(++column, label);
            }
            data.features(column, sample) = 1;
            first += count;
        }
    }
    return data;
}

Dataset
MakeSineData(const SineOptions& options, int64_t stream)
{
    const std::string name = "sine data";
    RequireCount(name, "samples", options.samples);
    RequireCount(name, "features", options.features);
    RequireNonNegative(name, "shift", options.shift);
    RequireDenseSize(name, options.features, options.samples);
    const auto exponential = CreateSeeded<ExponentialRandomVariable>(stream, 0);
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 1);
    Dataset data;
    data.name = "sine";
    data.features.resize(options.features, options.samples);
    data.labels.setZero(options.samples);
    data.truth = ModelVector::Zero(options.features);
    for (double& feature : data.features.reshaped())
    {
        // The difference of two exponential numbers of mean b is Lap(b); b = 1/2.
        feature = exponential->GetValue(0.5, 0);
        feature -= exponential->GetValue(0.5, 0);
    }
    for (uint32_t k = 0; k + 1 < options.samples; k += 2)
    {
        data.labels[k] = uniform->GetValue(-options.shift, options.shift);
        data.labels[k + 1] = -data.labels[k];
    }
    return data;
}

Dataset
MakeGlyphs(const GlyphOptions& options, int64_t stream)
{
    const std::string where = "glyphs";
    RequireCount(where, "samples", options.samples);
    Require(options.rotation >= 0 && options.rotation <= 180,
            "{}: rotation must be from 0 to 180, got {}",
            where,
            options.rotation);
    RequireNonNegative(where, "shear", options.shear);
    RequireNonNegative(where, "scale", options.scale);
    RequireNonNegative(where, "translation", options.translation);
    RequirePositive(where, "thinnest", options.thinnest);
    Require(std::isfinite(options.thickest) && options.thickest >= options.thinnest,
            "{}: thickest must be finite and at least thinnest, {}; got {}",
            where,
            options.thinnest,
            options.thickest);
    RequireNonNegative(where, "jitter", options.jitter);
    RequireNonNegative(where, "noiseStd", options.noiseStd);
    RequireDenseSize(where, SIDE * SIDE, options.samples);
    const GlyphRandom random{CreateSeeded<UniformRandomVariable>(stream, 0),
                             CreateSeeded<UniformRandomVariable>(stream, 1),
                             CreateSeeded<NormalRandomVariable>(stream, 2),
                             CreateSeeded<NormalRandomVariable>(stream, 3)};
    std::vector<std::vector<Stroke>> glyphs = MakeGlyphShapes();
    for (std::vector<Stroke>& glyph : glyphs)
    {
        for (Stroke& stroke : glyph)
        {
            stroke = GLYPH_HEIGHT * (Subdivide(stroke).array() - .5); // centred, in pixels
        }
    }
    Dataset data;
    data.name = "glyphs";
    data.classes = GLYPHS;
    for (uint32_t glyph = 0; glyph < GLYPHS; ++glyph)
    {
        data.labelNames.push_back(std::to_string(glyph));
    }
    data.shape = {1, SIDE, SIDE};
    data.features.resize(SIDE * SIDE, options.samples);
    data.labels.resize(options.samples);
    for (uint32_t sample = 0; sample < options.samples; ++sample)
    {
        const uint32_t label = random.labels->GetInteger(0, GLYPHS - 1);
        std::vector<Stroke> strokes = glyphs[label];
        Distort(options, random, strokes);
        const double width = random.poses->GetValue(options.thinnest, options.thickest);
        auto image = data.features.col(sample);
        image = DrawStrokes(strokes, width, SIDE);
        if (options.noiseStd > 0)
        {
            for (double& pixel : image)
            {
                pixel += options.noiseStd * random.noise->GetValue(0, 1);
            }
            image = image.cwiseMax(0).cwiseMin(1).eval();
        }
        data.labels(sample) = label;
    }
    return data;
}

} // namespace ns3::dlearn
