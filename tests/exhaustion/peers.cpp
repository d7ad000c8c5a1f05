// Calls with a peer: sources, credentials, a scaler's tick, the doctor, against a Prometheus on this machine.

#include "scenario.hpp"

#include <arpa/inet.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace exhaustion {
namespace {

constexpr std::int32_t timeout_ms = 5000;

// Texts with the peer's address, made before anything fails.
struct texts {
    char trigger[512];    // NOLINT
    char manifest[1024];  // NOLINT
    char change[512];     // NOLINT
    const char* identity =
        "apiVersion: keda.sh/v1alpha1\nkind: TriggerAuthentication\nmetadata: {name: a}\nspec:\n"
        "  podIdentity: {provider: bearer-file}\n  configMapTargetRef: [{parameter: tokenFile, name: c, key: f}]\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {f: a/token}\n";
    texts() {
        (void)std::snprintf(
            change, sizeof change,
            R"({"cluster":"/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/g/providers/)"
            R"(Microsoft.ContainerService/managedClusters/aks","pool":"gpunp","count":4,"dry":false,)"
            R"("endpoint":"%s"})",
            peer_url());
        (void)std::snprintf(trigger, sizeof trigger,
                            "type: prometheus\nmetadata: {serverAddress: \"%s\", query: up, threshold: \"5\"}\n",
                            peer_url());
        (void)std::snprintf(manifest, sizeof manifest,
                            "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: demo}\nspec:\n"
                            "  scaleTargetRef: {name: demo}\n  triggers:\n    - type: prometheus\n      metadata:\n"
                            "        {serverAddress: \"%s\", query: up, threshold: \"5\"}\n",
                            peer_url());
    }
};
const texts& own_texts() {
    static const texts own;
    return own;
}

gputide_status source_by_hand() {
    constexpr char answer[] =
        R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1,"7"]}]}})";
    gputide_source* source = nullptr;
    auto entry = sized<gputide_sample>();
    text request, json, described;
    steps all;
    all.then([&] { return GPUTIDE(source_open, own_texts().trigger, GPUTIDE_TEXT, nullptr, &source, nullptr); })
        .then([&] { return GPUTIDE(source_describe, source, &json.value, nullptr); })
        .then([&] { return GPUTIDE(source_request, source, start_ms, &request.value, nullptr); })
        .then([&] { return GPUTIDE(source_parse, source, 200, answer, GPUTIDE_TEXT, &entry, nullptr); })
        .then([&] {
            return GPUTIDE(source_parse_all, source, 200, nullptr, 0, answer, GPUTIDE_TEXT, &described.value, nullptr);
        });
    GPUTIDE(source_free, source);
    return all.status();
}

gputide_status source_fetch() {
    gputide_source* source = nullptr;
    auto entry = sized<gputide_sample>();
    text all_series;
    steps all;
    all.then([&] { return GPUTIDE(source_open, own_texts().trigger, GPUTIDE_TEXT, nullptr, &source, nullptr); })
        .then([&] { return GPUTIDE(source_fetch, source, start_ms, timeout_ms, nullptr, &entry, nullptr); })
        .then([&] {
            return GPUTIDE(source_fetch_all, source, start_ms, timeout_ms, nullptr, &all_series.value, nullptr);
        });
    GPUTIDE(source_free, source);
    return all.status();
}

gputide_status scaler_tick() {
    gputide_scaler* scaler = nullptr;
    auto seen = sized<gputide_observation>();
    seen.now_ms = start_ms;
    seen.current_replicas = 3;
    auto next = sized<gputide_decision>();
    text report;
    steps all;
    all.then([&] { return GPUTIDE(scaler_open, own_texts().manifest, GPUTIDE_TEXT, nullptr, &scaler, nullptr); })
        .then([&] { return GPUTIDE(scaler_tick, scaler, &seen, timeout_ms, nullptr, &next, &report.value, nullptr); });
    GPUTIDE(scaler_free, scaler);
    return all.status();
}

gputide_status credential() {
    auto options = sized<gputide_options>();
    options.secrets_dir = secrets_folder();
    gputide_credential* credential = nullptr;
    auto info = sized<gputide_token_info>();
    text token;
    steps all;
    all.then(
           [&] { return GPUTIDE(credential_open, own_texts().identity, GPUTIDE_TEXT, &options, &credential, nullptr); })
        .then([&] {
            return GPUTIDE(credential_token, credential, "https://x/.default", timeout_ms, nullptr, &token.value, &info,
                           nullptr);
        })
        .then([&] {
            return GPUTIDE(credential_invalidate, credential, "https://x/.default", token.value.data, GPUTIDE_TEXT,
                           nullptr);
        });
    GPUTIDE(credential_free, credential);
    return all.status();
}

// The peer is not an Azure Resource Manager, and is found out.
gputide_status agent_pool() {
    auto options = sized<gputide_options>();
    options.secrets_dir = secrets_folder();
    options.allowed_token_hosts = "127.0.0.1";
    gputide_credential* credential = nullptr;
    text json;
    steps all;
    all.then(
           [&] { return GPUTIDE(credential_open, own_texts().identity, GPUTIDE_TEXT, &options, &credential, nullptr); })
        .then([&] {
            const gputide_status no = GPUTIDE(agent_pool_write, credential, own_texts().change, GPUTIDE_TEXT,
                                              timeout_ms, nullptr, &json.value, nullptr);
            return no == GPUTIDE_E_PROTOCOL ? GPUTIDE_OK : no;
        });
    GPUTIDE(credential_free, credential);
    return all.status();
}

gputide_status doctor() {
    text report, lines;
    return GPUTIDE(doctor, own_texts().manifest, GPUTIDE_TEXT, nullptr, nullptr, timeout_ms, nullptr, &report.value,
                   &lines.value, nullptr);
}

}  // namespace

void add_peers(std::vector<scenario>& all) {
    (void)own_texts();
    all.insert(all.end(), {{"source by hand", source_by_hand},
                           {"source fetch", source_fetch},
                           {"scaler tick", scaler_tick},
                           {"credential", credential},
                           {"agent pool", agent_pool},
                           {"doctor", doctor}});
}

// A Prometheus in a process of its own, which answers each query with one number.  A client that takes it for an API server reads an empty
// list, or a ScaledObject that is KEDA's.

namespace {

#define ANSWER_OF_KIND(kind)                                                                                   \
    R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1795255200,"7"]}]},)" \
    R"("metadata":{"name":"llm","finalizers":["finalizer.keda.sh"]},"items":[],"kind":")" kind R"("})"

constexpr char answer[] = ANSWER_OF_KIND("ScaledObject");
constexpr char answer_of_hpas[] = ANSWER_OF_KIND("HorizontalPodAutoscalerList");

// Requests are small and come whole; the connection stays, as a Prometheus keeps it.
void serve(int connection) {
    char request[16384];  // NOLINT
    for (;;) {
        std::size_t have = 0;
        do {
            const ssize_t got = ::read(connection, request + have, sizeof request - 1 - have);
            if (got <= 0) return;
            have += static_cast<std::size_t>(got);
            request[have] = '\0';
        } while (std::strstr(request, "\r\n\r\n") == nullptr && have < sizeof request - 1);
        char reply[1024];  // NOLINT
        const char* content = std::strstr(request, "/horizontalpodautoscalers ") != nullptr ? answer_of_hpas : answer;
        const int size = std::snprintf(
            reply, sizeof reply, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
            std::strlen(content), content);
        if (::write(connection, reply, static_cast<std::size_t>(size)) < 0) return;
    }
}

}  // namespace

int start_peer() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    auto* address = reinterpret_cast<sockaddr*>(&here);
    if (::bind(listener, address, size) != 0 || ::listen(listener, 64) != 0 ||
        ::getsockname(listener, address, &size) != 0) {
        std::perror("exhaustion: a port to listen on");
        std::exit(2);
    }
    if (::fork() == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        std::signal(SIGCHLD, SIG_IGN);
        std::signal(SIGPIPE, SIG_IGN);
        for (;;) {
            const int connection = ::accept(listener, nullptr, nullptr);
            if (connection < 0) continue;
            if (::fork() == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                serve(connection);
                ::_exit(0);
            }
            ::close(connection);
        }
    }
    ::close(listener);
    return ntohs(here.sin_port);
}

}  // namespace exhaustion
