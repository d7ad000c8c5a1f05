// The right to drive a client, as a type: state of the driving thread is reached with a lead, and a lead exists only
// while its thread drives.
#pragma once

#include <utility>

namespace gputide::http {

// Proof that the calling thread drives a client.  Only client.cpp creates one.
class lead {
  public:
    lead(const lead&) = delete;
    lead& operator=(const lead&) = delete;

  private:
    friend class client;
    lead() = default;
};

// A value of the driving thread.  Other threads see it as const, so the const functions of Value must be thread-safe.
template <class Value>
class driven {
  public:
    template <class... Arguments>
    explicit driven(Arguments&&... arguments) : value_(std::forward<Arguments>(arguments)...) {}

    Value& with(const lead& /*proof*/) { return value_; }
    const Value& shared() const { return value_; }

  private:
    Value value_;
};

}  // namespace gputide::http
