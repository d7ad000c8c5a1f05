// Faults as errors: status, class, remedy, and no secret in the text.
#include "wire/errors.hpp"

#include <gtest/gtest.h>

namespace gputide::http {
namespace {

answer with(fault what, std::string text = {}) { return {what, std::move(text), {}}; }

TEST(FaultError, GivesEachFaultItsStatus) {
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
    for (const auto& [what, expected] : rows) EXPECT_EQ(fault_error(with(what)).status, expected) << fault_name(what);
}

TEST(FaultError, WhatMayPassIsRetryable) {
    for (const fault one : {fault::resolve, fault::connect, fault::timeout, fault::deadline, fault::reset,
                            fault::tls_handshake, fault::crowded, fault::encoding}) {
        EXPECT_TRUE(fault_error(with(one)).retryable) << fault_name(one);
    }
    for (const fault one : {fault::url, fault::not_allowed, fault::tls_verify, fault::cancelled, fault::too_large}) {
        EXPECT_FALSE(fault_error(with(one)).retryable) << fault_name(one);
    }
}

TEST(FaultError, SaysWhatWentWrongAndTheRemedy) {
    const error why = fault_error(with(fault::connect, "cannot connect to h:9090: Connection refused"));
    EXPECT_EQ(why.message,
              "cannot connect to h:9090: Connection refused. Is something listening there, and does a firewall or "
              "network policy let it through?");
    EXPECT_EQ(why.error_class, error_class::transient);
}

TEST(FaultError, KeepsSecretsOut) {
    const error why = fault_error(with(fault::reset, "echo eyJhbGciOiJ.eyJzdWIi.c2ln"));
    EXPECT_EQ(why.message.find("eyJ"), std::string::npos) << why.message;
}

}  // namespace
}  // namespace gputide::http
