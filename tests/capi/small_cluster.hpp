// A kubeconfig, and an API server of a few objects, for the tests of a runtime with a cluster.
#pragma once

#include "support/fault_server.hpp"

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

inline std::string ml_manifest(const std::string& name, const std::string& trigger) {
    return R"({"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","metadata":{"name":")" + name +
           R"(","namespace":"ml"},"spec":{"scaleTargetRef":{"name":")" + name + R"("},"triggers":[)" + trigger + "]}}";
}

inline constexpr char values_trigger[] = R"({"type":"values","metadata":{"threshold":"5"}})";

inline std::string prometheus_trigger_on(int port) {
    return R"({"type":"prometheus","metadata":{"serverAddress":"http://127.0.0.1:)" + std::to_string(port) +
           R"(","query":"gpu_busy","threshold":"5"}})";
}

// Returns the object of a write as an API server stores it: with a version.
inline std::string stored_object(const std::string& request) {
    std::string out = request.substr(request.find("\r\n\r\n") + 4);
    constexpr std::string_view metadata = R"("metadata":{)";
    const std::size_t at = out.find(metadata);
    if (at != std::string::npos && out.find("resourceVersion") == std::string::npos)
        out.insert(at + metadata.size(), R"("resourceVersion":"1",)");
    return out;
}

// An API server and a Prometheus server: two ScaledObjects, Leases that can be taken, and watches that end at once.
inline std::string answer_to(const std::string& request, int port) {
    const auto is_for = [&](const char* part) { return request.find(part) != std::string::npos; };
    if (!request.starts_with("GET ")) return gputide::testing::plain_answer(stored_object(request));
    if (is_for("watch=")) return gputide::testing::plain_answer("");
    if (is_for("/api/v1/query"))
        return gputide::testing::plain_answer(R"({"status":"success","data":{"resultType":"vector","result":[]}})");
    if (is_for("/leases/")) return gputide::testing::plain_answer(R"({"kind":"Status","code":404})", "404 Not Found");
    std::string items;
    if (is_for("/scaledobjects"))
        items = ml_manifest("first", prometheus_trigger_on(port)) + "," +
                ml_manifest("second", prometheus_trigger_on(port));
    return gputide::testing::plain_answer(R"({"metadata":{"resourceVersion":"1"},"items":[)" + items + "]}");
}

// A file that goes with its test.
class kubeconfig {
  public:
    explicit kubeconfig(int port) : path_("concurrent_calls_" + std::to_string(::getpid()) + ".json") {
        std::ofstream(path_)
            << R"({"current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],)"
            << R"("clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:)" << port
            << R"("}}],"users":[{"name":"u","user":{}}]})";
    }
    ~kubeconfig() { std::remove(path_.c_str()); }
    kubeconfig(const kubeconfig&) = delete;
    kubeconfig& operator=(const kubeconfig&) = delete;
    const char* path() const { return path_.c_str(); }

  private:
    const std::string path_;
};
