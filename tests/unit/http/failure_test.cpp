// Faults as errors: status, class, remedy, and no secret in the text.
#include "http/failure.hpp"

#include <gtest/gtest.h>

namespace gputide::http {
namespace {

answer with(fault what, std::string text = {}) { return {what, std::move(text), {}}; }

TEST(ToError, GivesEachFaultItsStatus) {
    const std::pair<fault, status> rows[] = {
        {fault::url, status::invalid},         {fault::not_allowed, status::security},
        {fault::resolve, status::unavailable}, {fault::connect, status::unavailable},
        {fault::timeout, status::timeout},     {fault::deadline, status::timeout},
        {fault::cancelled, status::cancelled}, {fault::reset, status::unavailable},
        {fault::tls_verify, status::security}, {fault::tls_handshake, status::unavailable},
        {fault::too_large, status::limit},     {fault::encoding, status::protocol},
        {fault::no_memory, status::no_memory}, {fault::other, status::protocol},
        {fault::crowded, status::limit},
    };
    for (const auto& [what, expected] : rows)
        EXPECT_EQ(to_error(with(what), "https://h/").status, expected) << fault_name(what);
}

TEST(ToError, WhatMayPassIsRetryable) {
    for (const fault one : {fault::resolve, fault::connect, fault::timeout, fault::deadline, fault::reset,
                            fault::tls_handshake, fault::crowded}) {
        EXPECT_TRUE(to_error(with(one), "https://h/").retryable) << fault_name(one);
    }
    for (const fault one : {fault::url, fault::not_allowed, fault::tls_verify, fault::cancelled, fault::too_large}) {
        EXPECT_FALSE(to_error(with(one), "https://h/").retryable) << fault_name(one);
    }
}

TEST(ToError, NamesTheUrlAndTheRemedy) {
    const error told =
        to_error(with(fault::connect, "cannot connect to h:9090: Connection refused"), "http://h:9090/api");
    EXPECT_EQ(
        told.message,
        "http://h:9090/api: cannot connect to h:9090: Connection refused. Is something listening on h:9090, and does a "
        "firewall or network policy let it through?");
    EXPECT_EQ(told.error_class, error_class::transient);
}

TEST(ToError, KeepsSecretsOut) {
    const error told =
        to_error(with(fault::reset, "echo eyJhbGciOiJ.eyJzdWIi.c2ln"), "https://me:pa55word@h/x?code=abcdef");
    EXPECT_EQ(told.message.find("pa55word"), std::string::npos) << told.message;
    EXPECT_EQ(told.message.find("eyJ"), std::string::npos) << told.message;
}

TEST(ToError, AnUnreadableUrlStillGivesASentence) {
    const error told = to_error(with(fault::url, "not an http or https URL"), "::");
    EXPECT_EQ(told.status, status::invalid);
    EXPECT_FALSE(told.message.empty());
}

}  // namespace
}  // namespace gputide::http
