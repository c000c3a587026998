#include "process/guardian_protocol.hpp"

#include <gtest/gtest.h>

#include "support/seeds.hpp"

namespace holdfast::process {
namespace {

std::string mark = "MARK=1";

ChildSpec example() {
    return {.arguments = {"server", "--flag", ""}, .environment = {"A=1", "B="}, .directory = "/d"};
}

TEST(GuardianProtocolTest, ReadsTheOrderThatWasWritten) {
    std::string bytes = encode_spawn(example()).value();
    SpawnOrder order;

    ASSERT_TRUE(read_spawn(bytes, mark.data(), order));

    EXPECT_STREQ(order.directory, "/d");
    ASSERT_EQ(order.arguments.size(), 4U);
    EXPECT_STREQ(order.arguments[1], "--flag");
    EXPECT_STREQ(order.arguments[2], "");
    EXPECT_EQ(order.arguments[3], nullptr);
    ASSERT_EQ(order.environment.size(), 4U);
    EXPECT_STREQ(order.environment[0], "MARK=1");
    EXPECT_STREQ(order.environment[2], "B=");
    EXPECT_EQ(order.environment[3], nullptr);
    EXPECT_FALSE(order.may_gain_privileges);
}

TEST(GuardianProtocolTest, ReadsWhetherTheChildMayGainPrivileges) {
    ChildSpec spec = example();
    spec.may_gain_privileges = true;
    std::string bytes = encode_spawn(spec).value();
    SpawnOrder order;

    ASSERT_TRUE(read_spawn(bytes, mark.data(), order));

    EXPECT_TRUE(order.may_gain_privileges);
}

TEST(GuardianProtocolTest, RejectsInvalidSpecs) {
    using namespace std::string_literals;
    const std::vector<ChildSpec> wrong{
        {},
        {.arguments = {""}},
        {.arguments = {"a\0b"s}},
        {.arguments = {"a"}, .environment = {"A=\0"s}},
        {.arguments = {"a"}, .environment = {"A"}},
        {.arguments = {"a"}, .environment = {"=A"}},
        {.arguments = {"a"}, .directory = "\0"s},
    };
    for (const ChildSpec& spec : wrong) {
        EXPECT_EQ(encode_spawn(spec).error().code, net::NetErrc::invalid_request);
    }
}

TEST(GuardianProtocolTest, EnforcesTheLimitExactly) {
    ChildSpec spec{.arguments = {"a"}};
    // The directory's end, "a" and its end, and the end of the entry itself.
    spec.environment.push_back("A=" + std::string(kMaxSpawnPayloadBytes - 6, 'x'));
    EXPECT_TRUE(encode_spawn(spec));

    spec.environment.front() += 'x';

    EXPECT_EQ(encode_spawn(spec).error().code, net::NetErrc::too_large);
}

TEST(GuardianProtocolTest, RejectsAnotherVersion) {
    std::string bytes = encode_spawn(example()).value();
    Frame frame;
    ASSERT_TRUE(read_frame(bytes, frame));

    bytes[4] = 9;

    EXPECT_FALSE(read_frame(bytes, frame));
    EXPECT_FALSE(read_frame(std::string(15, 'x'), frame));
}

TEST(GuardianProtocolTest, NeverReadsOutsideADamagedMessage) {
    using resilience::testing::random_between;
    const std::string whole = encode_spawn(example()).value();
    resilience::testing::for_each_seed(2'000, [&whole](std::mt19937_64& generator) {
        std::string bytes = whole;
        bytes.resize(random_between<std::size_t>(generator, 0, whole.size()));
        for (int changes = 0; changes < 3 && !bytes.empty(); ++changes) {
            bytes[random_between<std::size_t>(generator, 0, bytes.size() - 1)] =
                static_cast<char>(random_between(generator, 0, 255));
        }
        const std::vector<char> exact(bytes.begin(), bytes.end());
        std::vector<char> copy = exact;
        SpawnOrder order;

        if (read_spawn(copy, mark.data(), order)) {
            EXPECT_GE(order.arguments.size(), 2U);
            EXPECT_EQ(order.arguments.back(), nullptr);
            EXPECT_EQ(order.environment.back(), nullptr);
        }
    });
}

}  // namespace
}  // namespace holdfast::process
