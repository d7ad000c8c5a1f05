// Tests which page of a list is asked for next.
#include "base/limits.hpp"
#include "kubernetes/watch/list.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gputide::kubernetes {
namespace {

class Paging : public ::testing::Test {
  protected:
    paging pages;

    std::string asked() const { return pages.request({}).target.query; }
    void fail(int times) {
        for (int i = 0; i < times; ++i) EXPECT_TRUE(pages.page_did_not_fit());
    }
};

TEST_F(Paging, GrowsOnlyWhereTwiceAsMuchFits) {
    fail(5);
    EXPECT_EQ(asked(), "?limit=7");
    pages.page_came("a b", limits::response_bytes / 2 + 1);
    EXPECT_EQ(asked(), "?limit=7&continue=a%20b");
    for (const char* const expected :
         {"?limit=14&continue=t", "?limit=28&continue=t", "?limit=56&continue=t", "?limit=112&continue=t",
          "?limit=224&continue=t", "?limit=250&continue=t", "?limit=250&continue=t"}) {
        pages.page_came("t", limits::response_bytes / 2);
        EXPECT_EQ(asked(), expected);
    }
}

TEST_F(Paging, TheNextListBeginsAsSmall) {
    fail(3);
    pages.page_came("t", limits::response_bytes);
    pages.restart();
    EXPECT_TRUE(pages.is_first());
    EXPECT_EQ(asked(), "?limit=31");
}

TEST_F(Paging, MetadataAloneIsTheLeast) {
    EXPECT_EQ(pages.request({}).accept, "application/json");
    fail(8);
    EXPECT_TRUE(pages.is_metadata_only());
    EXPECT_EQ(asked(), "?limit=1");
    EXPECT_EQ(pages.request({}).accept, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    EXPECT_FALSE(pages.page_did_not_fit());
    EXPECT_TRUE(pages.is_metadata_only());
    pages.page_came("t", 100);
    EXPECT_EQ(pages.request({}).accept, "application/json");
    EXPECT_EQ(asked(), "?limit=2&continue=t");
}

TEST_F(Paging, AWholeListThatDoesNotFitBeginsAgainInPages) {
    pages.page_came("t", 100);
    pages.take_whole();
    EXPECT_EQ(asked(), "");
    EXPECT_TRUE(pages.is_first());
    EXPECT_FALSE(pages.page_did_not_fit());
    EXPECT_EQ(asked(), "?limit=250");
}

}  // namespace
}  // namespace gputide::kubernetes
