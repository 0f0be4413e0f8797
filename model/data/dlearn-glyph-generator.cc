/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-glyph-generator.h"

#include "dlearn-glyph-strokes.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

#include <array>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

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

    /** @param limit of the number */
    double DrawBothWays(double limit) const { return poses->GetValue(-limit, limit); }
};

/** The smooth displacement u of MakeGlyphs(). */
class ElasticField
{
  public:
    /**
     * @param jitter root mean squared length of u
     * @param random draws its waves
     */
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

    /**
     * @param point where
     * @return u there
     */
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
    /** A plane wave. */
    struct Wave
    {
        Eigen::Vector2d amplitude; //!< a, in pixels
        Eigen::Vector2d frequency; //!< 2 pi k / height, in radians a pixel
        double phase;              //!< phi, in radians
    };

    std::array<Wave, 3> m_waves; //!< u is their sum
};

/**
 * Put points on the lines of a stroke, so that an elastic field can bend them.
 *
 * @param stroke in the unit square
 * @return the stroke with no piece longer than 1/8
 */
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

/** @return the strokes of all glyphs, subdivided, in pixels, with the centre in the origin */
std::vector<std::vector<Stroke>>
MakeFineGlyphs()
{
    std::vector<std::vector<Stroke>> glyphs;
    for (uint32_t glyph = 0; glyph < GLYPHS; ++glyph)
    {
        glyphs.push_back(GetGlyphStrokes(glyph));
        for (Stroke& stroke : glyphs.back())
        {
            stroke = GLYPH_HEIGHT * (Subdivide(stroke).array() - .5);
        }
    }
    return glyphs;
}

/**
 * @param options of the distortion
 * @param random draws it
 * @param strokes of a glyph with the centre in the origin; become those of the distorted
 *        glyph in the image
 */
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

/** @param options to check */
void
Check(const GlyphOptions& options)
{
    const std::string where = "glyphs";
    Require(options.samples >= 1, where, ": samples must be at least 1, got ", options.samples);
    Require(options.rotation >= 0 && options.rotation <= 180,
            where,
            ": rotation must be from 0 to 180, got ",
            options.rotation);
    RequireNonNegative(where, "shear", options.shear);
    RequireNonNegative(where, "scale", options.scale);
    RequireNonNegative(where, "translation", options.translation);
    RequirePositive(where, "thinnest", options.thinnest);
    Require(std::isfinite(options.thickest) && options.thickest >= options.thinnest,
            where,
            ": thickest must be finite and at least thinnest, ",
            options.thinnest,
            "; got ",
            options.thickest);
    RequireNonNegative(where, "jitter", options.jitter);
    RequireNonNegative(where, "noiseStd", options.noiseStd);
    RequireDenseSize(where, SIDE * SIDE, options.samples);
}

} // namespace

Dataset
MakeGlyphs(const GlyphOptions& options, int64_t stream)
{
    Check(options);
    const GlyphRandom random{CreateSeeded<UniformRandomVariable>(stream, 0),
                             CreateSeeded<UniformRandomVariable>(stream, 1),
                             CreateSeeded<NormalRandomVariable>(stream, 2),
                             CreateSeeded<NormalRandomVariable>(stream, 3)};
    const std::vector<std::vector<Stroke>> glyphs = MakeFineGlyphs();
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
