/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-table-readers.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

using Names = std::vector<std::string>;

Dataset
ReadTable(const std::string& text,
          LabelKind kind = LabelKind::EITHER,
          const std::string& label = "")
{
    return ReadCsv(TemporaryFile(text).GetPath(), kind, label);
}

TEST(CsvReader, ReadsTablesWithNames)
{
    const std::string text = "\"a\", b ,kind\r\n1,2.5,dog\r\n\r\n-3e1, 4,\"cat\"\r\n0,0,dog\r\n";
    for (const bool compress : {false, true})
    {
        const TemporaryFile file(text, compress);
        const Dataset data = ReadCsv(file.GetPath(), LabelKind::EITHER);
        data.Validate();
        EXPECT_EQ(data.features, (Eigen::MatrixXd(2, 3) << 1, -30, 0, 2.5, 4, 0).finished());
        EXPECT_EQ(data.featureNames, (Names{"a", "b"}));
        EXPECT_EQ(data.labelNames, (Names{"cat", "dog"}));
        EXPECT_EQ(data.labels, Eigen::Vector3d(1, 0, 1));
        EXPECT_EQ(data.name, std::filesystem::path(file.GetPath()).filename());
    }
    const Dataset second = ReadTable("a,b,c\n1,2,3\n4,10,6\n", LabelKind::EITHER, "b");
    EXPECT_EQ(second.features, (Eigen::MatrixXd(2, 2) << 1, 4, 3, 6).finished());
    EXPECT_EQ(second.featureNames, (Names{"a", "c"}));
    EXPECT_EQ(second.labelNames, (Names{"2", "10"})) << "in numeric order";
}

TEST(CsvReader, LabelsAreClassesOrTargets)
{
    const std::string real = "x,y\n1,0.5\n1,2\n1,2.0\n";
    EXPECT_EQ(ReadTable(real).labels, Eigen::Vector3d(0.5, 2, 2));
    EXPECT_EQ(ReadTable(real).classes, 0U);
    EXPECT_EQ(ReadTable(real, LabelKind::CLASSES).labelNames, (Names{"0.5", "2"}));
    const std::string whole = "x,y\n1,7\n1,-7\n1,07\n";
    EXPECT_EQ(ReadTable(whole).labelNames, (Names{"-7", "7"}));
    EXPECT_EQ(ReadTable(whole).labels, Eigen::Vector3d(1, 0, 1));
    EXPECT_EQ(ReadTable(whole, LabelKind::TARGETS).labels, Eigen::Vector3d(7, -7, 7));
    EXPECT_EQ(ReadTable("x,y\n1,2\n1,two\n").labelNames, (Names{"2", "two"}));
}

TEST(CsvReader, RefusesWhatIsNoTable)
{
    const struct
    {
        std::string text;
        std::string message;
        LabelKind kind{LabelKind::EITHER};
        std::string label{};
    } cases[] = {
        {"", ": the first line must name at least two columns, with commas between them, got ''"},
        {"a;b\n1;2\n", ": the first line must name at least two columns, with commas between"},
        {"1,2\n3,4\n", ": the first line must name the columns, got numbers only: '1,2'"},
        {"a,b\n", ": contains no sample"},
        {"a,b\n1,2\n1,2,3\n", ":3: must have 2 fields, as the first line has, got 3"},
        {"a,b\nred,2\n", ":2:1: a must be a finite decimal number, got 'red'"},
        {"a,b\n,2\n", ":2:1: a must be a finite decimal number, got ''"},
        {"a,b\n1,\n", ":2:3: b must be a label, got ''"},
        {"a,b\n1,2\n", ": label must be one of its columns, a, b; got 'c'", LabelKind::EITHER, "c"},
        {"a,b\n1,x\n", ": label of sample 1 must be a finite number, as the", LabelKind::TARGETS},
    };

    for (const auto& c : cases)
    {
        const TemporaryFile file(c.text);
        ExpectRefused([&] { ReadCsv(file.GetPath(), c.kind, c.label); },
                      file.GetPath() + c.message);
    }
}

const char* const LEAF = R"({"users": ["f1", "f0"], "num_samples": [2, 1], "user_data": {
    "f0": {"x": [[0.5, 1.0]], "y": [9]},
    "f1": {"x": [[1, 2], [3, 4]], "y": [10, 9]}}})";

TEST(LeafReader, ReadsUsersInTheirOrder)
{
    for (const bool compress : {false, true})
    {
        const TemporaryFile file(LEAF, compress);
        const Dataset data = ReadLeaf(file.GetPath(), LabelKind::EITHER);
        data.Validate();
        EXPECT_EQ(data.features, (Eigen::MatrixXd(2, 3) << 1, 3, 0.5, 2, 4, 1).finished());
        EXPECT_EQ(data.labelNames, (Names{"9", "10"}));
        EXPECT_EQ(data.labels, Eigen::Vector3d(1, 0, 0));
        EXPECT_EQ(data.owners, (std::vector<uint32_t>{0, 0, 1}));
        EXPECT_EQ(ReadLeaf(file.GetPath(), LabelKind::EITHER, 1).owners,
                  (std::vector<uint32_t>{0, 0}));
    }
}

TEST(LeafReader, ReadsFoldersInTheOrderOfNames)
{
    const TemporaryFile name("");
    const std::string folder = name.GetPath() + "-folder";
    std::filesystem::create_directory(folder);
    std::ofstream(folder + "/b.json") << LEAF;
    std::ofstream(folder + "/a.json")
        << R"({"users": ["u"], "user_data": {"u": {"x": [[7, 7]], "y": ["9"]}}})";
    std::ofstream(folder + "/notes.txt") << "no JSON";
    const Dataset data = ReadLeaf(folder, LabelKind::EITHER);
    EXPECT_EQ(data.owners, (std::vector<uint32_t>{0, 1, 1, 2}));
    EXPECT_EQ(data.features(0, 0), 7);
    EXPECT_EQ(ReadLeaf(folder, LabelKind::EITHER, 2).GetSize(), 3U);
    std::filesystem::remove_all(folder);
}

// Positions in LEAF's ALL_LETTERS, counted by hand.
TEST(LeafReader, NumbersTheCharactersOfText)
{
    const TemporaryFile file(R"({"users": ["HAMLET", "GHOST"], "user_data": {
        "HAMLET": {"x": ["\n \"", "Azz"], "y": ["}", "!"]},
        "GHOST": {"x": ["a0-"], "y": ["\n"]}}})");
    const Dataset data = ReadLeaf(file.GetPath(), LabelKind::EITHER);
    data.Validate();
    EXPECT_EQ(data.features, (Eigen::MatrixXd(3, 3) << 0, 25, 53, 1, 78, 11, 3, 78, 9).finished());
    EXPECT_EQ(data.labels, Eigen::Vector3d(79, 2, 0));
    EXPECT_EQ(data.classes, 80U);
    EXPECT_EQ(data.owners, (std::vector<uint32_t>{0, 0, 1}));
    EXPECT_TRUE(Subset(data, {1}).text);
}

TEST(LeafReader, RefusesOtherJson)
{
    const auto user = [](const std::string& data) {
        return R"({"users": ["u"], "user_data": {"u": )" + data + "}}";
    };
    const std::pair<std::string, std::string> cases[] = {
        {"{", ": must have the form of LEAF: "},
        {"{\"users\": [\"u\"]}", ": must have the form of LEAF: "},
        {"{\"users\": []}", ": contains no sample"},
        {user(R"({"x": [[1]], "y": []})"), ": user 'u' must have as many y as x, 1; got 0"},
        {user(R"({"x": [["a"]], "y": [1]})"), ": x of user 'u' must be lists of numbers, or all"},
        {user(R"({"x": [[1], "a"], "y": [1, 2]})"), ": x of user 'u' must be lists of numbers, or"},
        {user(R"({"x": ["a", [1]], "y": ["a", 2]})"), ": x of user 'u' must be lists of numbers"},
        {user(R"({"x": ["a~"], "y": ["a"]})"),
         ": text must have characters of LEAF's alphabet only, got 'a~'"},
        {user(R"({"x": ["a"], "y": ["ab"]})"),
         ": y of user 'u' must be the character after a text, got 'ab'"},
        {user(R"({"x": [[1], [1, 2]], "y": [1, 2]})"), ": the samples of user 'u' must be as long"},
    };
    for (const auto& [text, message] : cases)
    {
        const TemporaryFile file(text);
        ExpectRefused([&] { ReadLeaf(file.GetPath(), LabelKind::EITHER); },
                      file.GetPath() + message);
    }
}

} // namespace
