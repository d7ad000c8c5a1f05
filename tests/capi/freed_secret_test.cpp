// No block of memory is freed while a Secret's value is still in it, as text of the manifest or decoded.
#include "support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string>

// The C library's own, under the name that it keeps for those who stand in front of it.
extern "C" void __libc_free(void* memory);  // NOLINT

namespace {

// Not on the heap: each text is looked for in every block that is freed meanwhile.
std::array<std::array<char, 64>, 2> sought;
bool is_looking = false;
int found = 0;

// Empties the block after the look: what the next owner of its memory leaves untouched is not that owner's.
void look_into(void* memory) {
    if (memory == nullptr) return;
    const std::size_t size = ::malloc_usable_size(memory);
    for (const auto& text : sought) {
        if (is_looking && ::memmem(memory, size, text.data(), std::strlen(text.data())) != nullptr) ++found;
    }
    ::explicit_bzero(memory, size);
}

}  // namespace

extern "C" {

void free(void* memory) {
    look_into(memory);
    __libc_free(memory);
}

// Always moves, so that the block which is left behind is seen.
void* realloc(void* memory, std::size_t size) {
    void* out = std::malloc(size);
    if (out == nullptr || memory == nullptr) return out;
    std::memcpy(out, memory, std::min(size, ::malloc_usable_size(memory)));
    std::free(memory);
    return out;
}
}

namespace {

struct secret_case {
    const char* name;
    const char* value;
    const char* encoded;  // in base64
};

class FreedSecret : public testing::TestWithParam<secret_case> {
  protected:
    void SetUp() override {
        std::strncpy(sought[0].data(), GetParam().value, sought[0].size() - 1);
        std::strncpy(sought[1].data(), GetParam().encoded, sought[1].size() - 1);
        found = 0;
    }
    void TearDown() override { is_looking = false; }

    std::string yaml() const {
        return std::string(R"(apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: llm, namespace: ml}
spec:
  scaleTargetRef: {name: llm}
  triggers:
  - type: prometheus
    metadata: {serverAddress: "https://127.0.0.1:1", query: up, threshold: "5", authModes: bearer}
    authenticationRef: {name: auth}
---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: auth, namespace: ml}
spec:
  secretTargetRef:
  - {parameter: bearerToken, name: store, key: token}
---
apiVersion: v1
kind: Secret
metadata: {name: store, namespace: ml}
data:
  first: &anchor )") +
               GetParam().encoded + "\n  token: *anchor\n  quoted: \"" + GetParam().encoded + "\"\n";
    }

    std::string json() const {
        return std::string(
                   R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject",
"metadata":{"name":"llm","namespace":"ml"},"spec":{"scaleTargetRef":{"name":"llm"},"triggers":[{"type":"prometheus","metadata":{
"serverAddress":"https://127.0.0.1:1","query":"up","threshold":"5","authModes":"bearer"},"authenticationRef":{"name":"auth"}}]}},
{"apiVersion":"keda.sh/v1alpha1","kind":"TriggerAuthentication","metadata":{"name":"auth","namespace":"ml"},"spec":{"secretTargetRef":
[{"parameter":"bearerToken","name":"store","key":"token"}]}},
{"apiVersion":"v1","kind":"Secret","metadata":{"name":"store","namespace":"ml"},"data":{"token":")") +
               GetParam().encoded + "\"}}]}";
    }

    static void open_and_free(const std::string& manifest) {
        auto err = sized<gputide_error>();
        gputide_scaler* scaler = nullptr;
        is_looking = true;
        const gputide_status got = gputide_scaler_open(manifest.c_str(), GPUTIDE_TEXT, nullptr, &scaler, &err);
        gputide_scaler_free(scaler);
        is_looking = false;
        EXPECT_EQ(got, GPUTIDE_OK) << err.message;
    }
};

TEST_P(FreedSecret, YamlLeavesNone) {
    open_and_free(yaml());
    EXPECT_EQ(found, 0);
}

TEST_P(FreedSecret, JsonLeavesNone) {
    open_and_free(json());
    EXPECT_EQ(found, 0);
}

TEST_P(FreedSecret, ATextThatIsRefusedLeavesNone) {
    for (const std::string& manifest : {yaml() + "\tbroken: [", json() + "]", yaml() + "metadata: 5\n"}) {
        auto err = sized<gputide_error>();
        gputide_scaler* scaler = nullptr;
        is_looking = true;
        const gputide_status got = gputide_scaler_open(manifest.c_str(), GPUTIDE_TEXT, nullptr, &scaler, &err);
        is_looking = false;
        EXPECT_EQ(got, GPUTIDE_E_INVALID) << err.message;
    }
    EXPECT_EQ(found, 0);
}

TEST_P(FreedSecret, ThisTestWouldSeeOne) {
    char* block = static_cast<char*>(std::malloc(100));
    std::strcpy(block, GetParam().encoded);
    is_looking = true;
    std::free(block);
    is_looking = false;
    EXPECT_EQ(found, 1);
}

// A short text stands inside its std::string and is copied by each move.
INSTANTIATE_TEST_SUITE_P(Lengths, FreedSecret,
                         testing::Values(secret_case{"Long", "a-token-of-32-letters-0123456789",
                                                     "YS10b2tlbi1vZi0zMi1sZXR0ZXJzLTAxMjM0NTY3ODk="},
                                         secret_case{"Short", "p4ss-w0rd", "cDRzcy13MHJk"}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
