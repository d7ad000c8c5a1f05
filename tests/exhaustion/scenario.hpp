// One way through the C API, from nothing to nothing: it opens, uses and frees, allocates nothing itself, and says how it went.
#pragma once

#include "gputide/gputide_table.h"

#include <cstdint>
#include <vector>

namespace exhaustion {

struct scenario {
    const char* name;
    gputide_status (*run)();
};

// Each source file of scenarios adds its own.
void add_values(std::vector<scenario>& all);
void add_decisions(std::vector<scenario>& all);
void add_peers(std::vector<scenario>& all);
void add_runtime(std::vector<scenario>& all);
void add_planning(std::vector<scenario>& all);

// A Prometheus on this machine that answers every query, http://127.0.0.1:PORT; a folder with a token.
const char* peer_url();
const char* secrets_folder();
const char* kubeconfig();  // of which the Prometheus is the API server

// Starts that Prometheus in a process of its own, which ends with this one.  Returns its port.
int start_peer();

void note(const char* function);  // that it was called

// GPUTIDE(policy_open, ...): gputide_policy_open(...), noted.
#define GPUTIDE(function, ...) (::exhaustion::note("gputide_" #function), gputide_##function(__VA_ARGS__))

// Goes on while all is well.
class steps {
  public:
    template <class Call>
    steps& then(Call call) {
        if (status_ == GPUTIDE_OK) status_ = call();
        return *this;
    }
    gputide_status status() const { return status_; }

  private:
    gputide_status status_ = GPUTIDE_OK;
};

struct text {
    gputide_text value{nullptr, 0};
    text() = default;
    text(const text&) = delete;
    text& operator=(const text&) = delete;
    ~text() { GPUTIDE(text_free, &value); }
};

template <class T>
T sized() {
    T out{};
    out.struct_size = sizeof(T);
    return out;
}

inline constexpr std::int64_t start_ms = 1795255200000;  // 2026-11-21T10:00:00Z

}  // namespace exhaustion
