// Real programs: what comes back, what they get from the host, how they end.
#include "auth/machine/program.hpp"

#include "acquiring.hpp"
#include "auth/azure/credentials.hpp"
#include "auth/machine/surroundings.hpp"
#include "base/text.hpp"
#include "http/client.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gputide::auth {

namespace {

using test::expect_text;

program_outcome run(const std::vector<std::string>& arguments) {
    auto started = spawn_program(arguments);
    EXPECT_TRUE(started) << test::message_of(started);
    for (int i = 0; started && i < 1'000; ++i) {
        if (auto ended = (*started)->poll()) return *std::move(ended);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return {};
}

TEST(Program, OutputAndExitStatus) {
    const auto good = run({"/bin/echo", "a b", "$HOME"});
    EXPECT_TRUE(good.ok);
    EXPECT_EQ(good.output.reveal(), "a b $HOME\n") << "no shell reads the arguments";
    const auto bad = run({"sh", "-c", "echo no >&2; exit 3"});
    EXPECT_FALSE(bad.ok);
    EXPECT_EQ(bad.how, "exit status 3");
    EXPECT_EQ(bad.complaint, "no\n");
    EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).how, "signal 9");
    const auto missing = spawn_program({"there-is-no-such-program"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.failure().status, status::not_here);
}

TEST(Program, GetsNothingOfTheHostButTheEnvironment) {
    ASSERT_EQ(::setenv("GPUTIDE_TEST_WORD", "seen", 1), 0);
    const int leak = ::fcntl(STDOUT_FILENO, F_DUPFD, 77);  // without FD_CLOEXEC, as careless hosts do
    ASSERT_GE(leak, 77);
    const auto got = run({"sh", "-c", "echo $GPUTIDE_TEST_WORD; cat; test -e /proc/self/fd/" + std::to_string(leak)});
    ::close(leak);
    EXPECT_EQ(got.output.reveal(), "seen\n") << "and stdin is empty";
    EXPECT_EQ(got.how, "exit status 1") << "the descriptor is not there";
}

TEST(Program, MoreOutputThanATokenHasIsRefusedAndDoesNotBlock) {
    const auto got = run({"sh", "-c", "head -c 1000000 /dev/zero"});
    EXPECT_FALSE(got.ok);
    EXPECT_EQ(got.how, "more output than a token may have (64 KiB)");
    EXPECT_LE(got.output.reveal().size(), std::size_t{65'536});
}

// Gone, or a zombie that its new parent has yet to reap.
bool is_dead(const std::string& pid) {
    std::string stat;
    std::getline(std::ifstream("/proc/" + pid + "/stat"), stat);
    return stat.empty() || stat.find(") Z ") != std::string::npos || stat.find(") X ") != std::string::npos;
}

TEST(Program, ItsWholeGroupEndsWithIt) {
    auto started = spawn_program({"sh", "-c", "sleep 300 & echo $!; wait"});
    ASSERT_TRUE(started);
    EXPECT_FALSE((*started)->poll());
    started->reset();  // kills
    // A child of its own that is left behind by one that ends.
    const auto got = run({"sh", "-c", "sleep 300 >/dev/null 2>&1 & echo $!"});
    const std::string left(trim(got.output.reveal()));
    ASSERT_FALSE(left.empty());
    for (int i = 0; i < 200 && !is_dead(left); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(is_dead(left));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child of ours is left to reap";
}

TEST(Program, ThroughTheRealLoopWithACancelAndATimeLimit) {
    const auto client = http::client::open();
    ASSERT_TRUE(client);
    http::client& on = **client;
    const auto host = process_surroundings();
    const auto ask = [&](std::vector<std::string> arguments, std::int64_t limit_ms, const http::cancel_flag* cancel) {
        const std::int64_t deadline_ms = on.steady_ms() + 10'000;
        return http::flat(http::wait<result<secret_text>>(
            on,
            [&](program_done done) {
                return run_program(on, host, {std::move(arguments), limit_ms}, deadline_ms, std::move(done));
            },
            deadline_ms, cancel));
    };
    const auto good = ask({"/bin/echo", "T"}, 5'000, nullptr);
    ASSERT_TRUE(good) << test::message_of(good);
    EXPECT_EQ(good->reveal(), "T\n");
    const auto missing = ask({"sh", "-c", "no-such-program-7 >&2"}, 5'000, nullptr);
    EXPECT_EQ(missing.failure().error_class, error_class::unavailable)
        << "a script that lacks its program ends with 127";
    expect_text(ask({"sleep", "300"}, 100, nullptr).failure().message, {"sleep was killed", "timed out after 100ms"});
    http::cancel_flag cancel;
    cancel.fire();
    EXPECT_EQ(ask({"sleep", "300"}, 5'000, &cancel).failure().status, status::cancelled);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child of ours is left to reap";
}

class Cli : public test::Acquiring {};

TEST_F(Cli, IsAskedForTheScopeAndReadsItsAnswer) {
    permissions.allowed_programs = {"az"};
    const auto opened = open_azure_cli({"my-tenant", "my subscription"}, permissions, host);
    ASSERT_TRUE(opened);
    host->programs["az"] = test::printed(R"({"accessToken":"C","expires_on":1760003600,"tokenType":"Bearer"})");
    EXPECT_EQ(value_of(acquire(**opened, "https://prometheus.monitor.azure.com")), "C");
    EXPECT_EQ(host->ran.at(0),
              (std::vector<std::string>{"az", "account", "get-access-token", "--output", "json", "--scope",
                                        "https://prometheus.monitor.azure.com/.default", "--tenant", "my-tenant",
                                        "--subscription", "my subscription"}));
    host->programs["az"] = {false, {}, "ERROR: Please run 'az login' to setup account.\n", "exit status 1"};
    const auto nobody = acquire(**opened);
    EXPECT_EQ(nobody.failure().error_class, error_class::signed_out);
    expect_text(nobody.failure().message, {"no user is signed in to the Azure CLI"});
    host->programs.clear();
    EXPECT_EQ(acquire(**opened).failure().error_class, error_class::unavailable);
}

TEST_F(Cli, TakesNothingThatItsFlagsCouldMean) {
    expect_text(test::message_of(open_azure_cli({}, permissions, host)), {"\"az\" is not run", "--allow-program"});
    permissions.allowed_programs = {"az"};
    EXPECT_FALSE(open_azure_cli({"a b", ""}, permissions, host));
    EXPECT_FALSE(open_azure_cli({"", "--debug"}, permissions, host));
    EXPECT_FALSE(open_azure_cli({"--debug", ""}, permissions, host));
    const auto opened = open_azure_cli({}, permissions, host);
    host->programs["az"] = test::printed("{}");
    EXPECT_EQ(acquire(**opened, "--debug").failure().error_class, error_class::config);
    EXPECT_TRUE(host->ran.empty());
    EXPECT_EQ(acquire(**opened).failure().error_class, error_class::protocol);
}

}  // namespace

// The real environment and files: what is there, and what each kind of trouble says.

namespace {

class Files : public ::testing::Test {
  protected:
    void SetUp() override {
        folder = std::filesystem::temp_directory_path() / ("gputide-auth-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& content) const {
        std::string path = folder / name;
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }

    std::filesystem::path folder;
    std::shared_ptr<const surroundings> host = process_surroundings();
};

TEST_F(Files, ContentWithinTheLimit) {
    const std::string content = std::string("a\0b\n", 4) + std::string(40'000, 'x');
    const std::string path = write("token", content);
    EXPECT_EQ(host->read_file(path, content.size())->reveal(), content);
    const auto large = host->read_file(path, content.size() - 1);
    ASSERT_FALSE(large);
    EXPECT_EQ(large.failure().status, status::limit);
    EXPECT_FALSE(large.failure().retryable);
    EXPECT_TRUE(host->read_file(write("empty", ""), 10)->reveal().empty());
}

TEST_F(Files, WhatCannotBeReadNamesPathAndReason) {
    const auto expect = [this](const std::string& path, const char* reason) {
        const auto got = host->read_file(path, 10);
        ASSERT_FALSE(got);
        EXPECT_EQ(got.failure().status, status::invalid);
        EXPECT_TRUE(got.failure().retryable);
        EXPECT_NE(got.failure().message.find(path), std::string::npos);
        EXPECT_NE(got.failure().message.find(reason), std::string::npos) << got.failure().message;
    };
    expect(folder / "missing", "No such file");
    expect(folder, "directory");
    const std::string pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    expect(pipe, "regular");
}

TEST_F(Files, ASymlinkIsFollowedAsTheKubeletSwapsThem) {
    write("first", "one");
    write("second", "two");
    const auto link = folder / "current";
    std::filesystem::create_symlink(folder / "first", link);
    EXPECT_EQ(host->read_file(link, 10)->reveal(), "one");
    std::filesystem::remove(link);
    std::filesystem::create_symlink(folder / "second", link);
    EXPECT_EQ(host->read_file(link, 10)->reveal(), "two");
    EXPECT_FALSE(host->read_unlinked_file(link, 10)) << "a path that a peer named follows no link";
    EXPECT_EQ(host->read_unlinked_file(folder / "second", 10)->reveal(), "two");
}

TEST(Environment, AbsentIsNotEmpty) {
    const auto host = process_surroundings();
    ::setenv("GPUTIDE_TEST_EMPTY", "", 1);
    EXPECT_EQ(host->environment("GPUTIDE_TEST_EMPTY"), "");
    EXPECT_FALSE(host->environment("GPUTIDE_TEST_ABSENT"));
}

}  // namespace

}  // namespace gputide::auth
