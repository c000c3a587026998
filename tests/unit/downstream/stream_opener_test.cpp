#include "downstream/stream_opener.hpp"

#include "unit/downstream/stream_link_fixture.hpp"

namespace holdfast::downstream {
namespace {

using Kind = CallFault::Kind;
using OpenResult = resilience::Result<std::shared_ptr<Link>, CallFault>;
using GivenChannel = net::NetResult<std::unique_ptr<net::MessageChannel>>;
using Peers = std::vector<std::unique_ptr<test::MemoryChannel>>;

boost::asio::awaitable<GivenChannel> give(net::OwningLoop loop, std::shared_ptr<Peers> peers) {
    auto channels = test::make_memory_channels(loop);
    peers->push_back(std::move(channels.far));
    co_return std::unique_ptr<net::MessageChannel>{std::move(channels.near)};
}

boost::asio::awaitable<GivenChannel> refuse() {
    co_return net::NetError{.code = net::NetErrc::not_found, .message = "no such program"};
}

class StreamOpenerTest : public ::testing::Test {
protected:
    static constexpr std::string_view kDiscovered =
        R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"instructions":"i\n",)"
        R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s"}}})";

    ~StreamOpenerTest() override {
        opened_.reset();
        loop.settle();
    }

    void open(std::optional<mcp::Era> known_era = std::nullopt, bool is_always_legacy = false,
              bool is_required = false) {
        StreamOpener opener{[peers = peers](net::OwningLoop home, resilience::Deadline) {
                                return give(std::move(home), peers);
                            },
                            {.is_always_legacy = is_always_legacy}};
        open_with(opener, known_era, is_required);
    }
    void open_with(StreamOpener& opener, std::optional<mcp::Era> known_era,
                   bool is_required = false) {
        opened_.emplace(
            loop, opener.open({loop.context.get_executor(), &loop.timekeeper},
                              {.capabilities = R"({"roots":{}})",
                               .known_era = known_era,
                               .is_era_required = is_required},
                              listener, resilience::Deadline::after(loop.timekeeper.now(), 30s)));
        loop.settle();
    }

    test::MemoryChannel& peer() { return *peers->back(); }
    std::string sent() { return peer().try_read().value_or(""); }
    void say(const std::string& json) {
        EXPECT_TRUE(peer().try_write(json));
        loop.settle();
    }
    void answer(int id, std::string_view result) {
        say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" +
            std::string{result} + "}");
    }
    void refuse_with(int id, int code, std::string_view data = "null") {
        say(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" +
            std::to_string(code) + R"(,"message":"no","data":)" + std::string{data} + "}}");
    }
    void answer_initialize(int id, std::string_view version = "2025-11-25") {
        answer(id, R"({"protocolVersion":")" + std::string{version} +
                       R"(","capabilities":{"tools":{}},"serverInfo":{"name":"s"}})");
    }
    void expect_discover(int id) {
        EXPECT_TRUE(sent().starts_with(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                                       R"(,"method":"server/discover")"));
    }
    void expect_initialize(int id) {
        EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                              R"(,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                              R"("capabilities":{"roots":{}},)"
                              R"("clientInfo":{"name":"holdfast","version":"0"}}})");
    }
    void expect_ready(mcp::Revision revision) {
        ASSERT_TRUE(opened_->has_ended());
        ASSERT_TRUE(opened_->result()) << opened_->result().error().message;
        const Negotiated& negotiated = (*opened_->result())->negotiated();
        EXPECT_EQ(negotiated.revision, revision);
        EXPECT_EQ(negotiated.capabilities, R"({"tools":{}})");
        EXPECT_EQ(negotiated.server_info, R"({"name":"s"})");
        if (mcp::era_of(revision) == mcp::Era::legacy) {
            EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
        }
        EXPECT_EQ(sent(), "");
    }
    [[nodiscard]] const CallFault& fault() const { return opened_->result().error(); }

    resilience::testing::VirtualLoop loop;
    std::shared_ptr<Peers> peers = std::make_shared<Peers>();
    std::shared_ptr<RecordingLinkListener> listener = std::make_shared<RecordingLinkListener>();
    std::optional<Running<OpenResult>> opened_;
};

TEST_F(StreamOpenerTest, TreatsADiscoverResultAsModern) {
    open();
    expect_discover(1);

    answer(1, kDiscovered);

    expect_ready(mcp::Revision::v2026_07_28);
    EXPECT_EQ((*opened_->result())->negotiated().instructions, "i\n");
}

TEST_F(StreamOpenerTest, ReadsServerInfoFromTheBodyToo) {
    open();

    answer(1, R"({"supportedVersions":["2026-07-28"],"serverInfo":{"name":"s"},)"
              R"("capabilities":{"tools":{}}})");

    expect_discover(1);
    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, AsksOnceMoreInACommonVersion) {
    open();
    expect_discover(1);

    refuse_with(1, -32022, R"({"supported":["2026-07-28"]})");
    expect_discover(2);
    answer(2, kDiscovered);

    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, FailsWhenNoVersionIsCommon) {
    open();

    refuse_with(1, -32022, R"({"supported":["2030-01-01"]})");

    EXPECT_EQ(fault().kind, Kind::not_connected);
    EXPECT_NE(fault().message.find("versions"), std::string::npos);
    EXPECT_TRUE(peer().try_read());
    EXPECT_TRUE(peer().has_ended());
}

TEST_F(StreamOpenerTest, StartsTheHandshakeAfterAnyOtherError) {
    for (const int code : {-32601, -32602, -32000}) {
        open();
        expect_discover(1);

        refuse_with(1, code);
        expect_initialize(2);
        answer_initialize(2);

        expect_ready(mcp::Revision::v2025_11_25);
    }
}

TEST_F(StreamOpenerTest, StartsTheHandshakeAfterTextThatIsNotAnAnswer) {
    open();
    expect_discover(1);

    say("unknown method");
    expect_initialize(2);
    answer_initialize(2);

    expect_ready(mcp::Revision::v2025_11_25);
}

TEST_F(StreamOpenerTest, SkipsLinesThatAreNotJsonDuringTheHandshake) {
    open();
    expect_discover(1);
    say("Starting up");
    expect_initialize(2);
    say("Listening on port 80");
    answer_initialize(2);

    expect_ready(mcp::Revision::v2025_11_25);
}

TEST_F(StreamOpenerTest, ProbesAgainWhenADownstreamThatPrintedALineRefusesTheHandshake) {
    open();
    expect_discover(1);
    say("Starting up");
    expect_initialize(2);

    refuse_with(2, -32601);
    expect_discover(3);
    answer(3, kDiscovered);

    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, StartsTheHandshakeAfterSilenceOnTheSameChannel) {
    open();
    expect_discover(1);

    loop.run_for(4999ms);
    EXPECT_EQ(sent(), "");
    loop.run_for(1ms);
    expect_initialize(2);
    answer_initialize(2);

    EXPECT_EQ(peers->size(), 1U);
    expect_ready(mcp::Revision::v2025_11_25);
}

TEST_F(StreamOpenerTest, AModernDownstreamThatIsSlowToStartIsModern) {
    open();
    expect_discover(1);
    loop.run_for(5s);
    expect_initialize(2);

    loop.run_for(3s);
    answer(1, kDiscovered);
    refuse_with(2, -32022, R"({"supported":["2026-07-28"]})");

    EXPECT_EQ(peers->size(), 1U);
    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, ADownstreamOfBothErasThatIsSlowToStartIsStartedAgainAsModern) {
    open();
    expect_discover(1);
    loop.run_for(5s);
    expect_initialize(2);

    loop.run_for(3s);
    answer(1, kDiscovered);
    answer_initialize(2);
    ASSERT_EQ(peers->size(), 2U);
    expect_discover(1);
    loop.run_for(8s);
    EXPECT_EQ(sent(), "");
    answer(1, kDiscovered);

    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, ALegacyDownstreamThatIsSlowToStartIsLegacy) {
    open();
    expect_discover(1);
    loop.run_for(5s);
    expect_initialize(2);

    loop.run_for(3s);
    refuse_with(1, -32601);
    answer_initialize(2);

    EXPECT_EQ(peers->size(), 1U);
    expect_ready(mcp::Revision::v2025_11_25);
}

TEST_F(StreamOpenerTest, NeverSendsTheHandshakeIfTheModernEraIsRequired) {
    open(mcp::Era::modern, false, true);
    expect_discover(1);

    loop.run_for(29s);
    EXPECT_EQ(sent(), "");
    refuse_with(1, -32601);

    EXPECT_EQ(fault().kind, Kind::not_connected);
    EXPECT_NE(fault().message.find("2026-07-28"), std::string::npos) << fault().message;
}

TEST_F(StreamOpenerTest, ProbesAgainWhenASilentDownstreamRefusesTheHandshake) {
    open();
    expect_discover(1);
    loop.run_for(5s);
    expect_initialize(2);

    refuse_with(2, -32601);
    expect_discover(3);
    answer(3, kDiscovered);

    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, RestartsWithTheHandshakeIfItDiesOfTheProbe) {
    open();
    expect_discover(1);

    peer().end();
    loop.settle();
    ASSERT_EQ(peers->size(), 2U);
    expect_initialize(1);
    answer_initialize(1);

    expect_ready(mcp::Revision::v2025_11_25);
    EXPECT_TRUE(listener->losses.empty());
}

TEST_F(StreamOpenerTest, SkipsTheProbeForAKnownLegacyDownstream) {
    open(mcp::Era::legacy);

    expect_initialize(1);
    answer_initialize(1);

    expect_ready(mcp::Revision::v2025_11_25);
}

TEST_F(StreamOpenerTest, NeverProbesATransportThatIsAlwaysLegacy) {
    open(mcp::Era::modern, true);

    expect_initialize(1);
}

TEST_F(StreamOpenerTest, GivesAKnownModernDownstreamMoreTime) {
    open(mcp::Era::modern);
    expect_discover(1);

    loop.run_for(14s);
    EXPECT_EQ(sent(), "");
    answer(1, kDiscovered);

    expect_ready(mcp::Revision::v2026_07_28);
}

TEST_F(StreamOpenerTest, ProbesAKnownModernDownstreamThatDies) {
    open(mcp::Era::modern);
    expect_discover(1);

    peer().end();
    loop.settle();
    expect_discover(1);
    peer().end();
    loop.settle();

    expect_initialize(1);
    EXPECT_EQ(peers->size(), 3U);
}

TEST_F(StreamOpenerTest, UsesAKnownOlderRevision) {
    open(mcp::Era::legacy);
    expect_initialize(1);

    answer_initialize(1, "2024-11-05");

    expect_ready(mcp::Revision::v2024_11_05);
}

TEST_F(StreamOpenerTest, FailsOnAnUnknownRevision) {
    open(mcp::Era::legacy);

    answer_initialize(1, "1999-01-01");

    EXPECT_EQ(fault().kind, Kind::not_connected);
    EXPECT_NE(fault().message.find("1999-01-01"), std::string::npos);
}

TEST_F(StreamOpenerTest, ReportsWhyTheHandshakeWasRefused) {
    open(mcp::Era::legacy);

    refuse_with(1, -32603);

    EXPECT_EQ(fault().kind, Kind::not_connected);
    EXPECT_NE(fault().message.find("no (code -32603)"), std::string::npos) << fault().message;
}

TEST_F(StreamOpenerTest, EndsAtTheDeadlineAndCancelsNothing) {
    open();

    loop.run_for(30s);

    EXPECT_EQ(fault().kind, Kind::timed_out);
    EXPECT_EQ(fault().delivery, resilience::Delivery::not_sent);
    expect_discover(1);
    expect_initialize(2);
    EXPECT_EQ(sent(), "");
    EXPECT_TRUE(peer().has_ended());
}

TEST_F(StreamOpenerTest, FailsWhenItEndsDuringTheHandshake) {
    open(mcp::Era::legacy);

    peer().end();
    loop.settle();

    EXPECT_EQ(fault().kind, Kind::not_connected);
    EXPECT_NE(fault().message.find("the peer has ended"), std::string::npos);
    EXPECT_TRUE(listener->losses.empty());
}

TEST_F(StreamOpenerTest, AnswersPingDuringTheHandshake) {
    open(mcp::Era::legacy);
    expect_initialize(1);

    say(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");

    EXPECT_EQ(sent(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
    EXPECT_FALSE(opened_->has_ended());
}

TEST_F(StreamOpenerTest, IsCancelledAtOnce) {
    open();

    opened_->cancel();
    loop.settle();

    ASSERT_TRUE(opened_->has_ended());
    EXPECT_EQ(fault().kind, Kind::cancelled);
    EXPECT_TRUE(peer().try_read());
    EXPECT_TRUE(peer().has_ended());
}

TEST_F(StreamOpenerTest, ReportsWhyThereIsNoChannel) {
    StreamOpener opener{[](const net::OwningLoop&, resilience::Deadline) { return refuse(); }, {}};

    open_with(opener, std::nullopt);

    EXPECT_EQ(fault().kind, Kind::not_connected);
    EXPECT_EQ(fault().message, "no such program");
}

}  // namespace
}  // namespace holdfast::downstream
