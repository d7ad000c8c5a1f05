// The real environment and files: what is there, and what each kind of trouble says.
#include "auth/machine/surroundings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace gputide::auth {
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
