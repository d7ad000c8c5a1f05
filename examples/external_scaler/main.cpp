// gputide as an external scaler of KEDA: decides by the manifests that it is given, and answers with the size that it wants.
#include "service.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int max_request_bytes = 65'536;
constexpr std::chrono::seconds grace(5);
constexpr std::chrono::milliseconds look_each(200);
constexpr const char* service_name = "externalscaler.ExternalScaler";

struct settings {
    std::vector<std::string> files;
    std::string listen = "127.0.0.1:6000";
    std::string certificate, key, client_ca;
    std::string ca_file, secrets_dir;
    std::int64_t max_age_s = 120;
};

std::shared_ptr<grpc::ServerCredentials> credentials_of(const settings& from) {
    if (from.certificate.empty()) return grpc::InsecureServerCredentials();
    grpc::SslServerCredentialsOptions out;
    out.pem_key_cert_pairs.push_back(
        {external_scaler::content_of(from.key), external_scaler::content_of(from.certificate)});
    if (!from.client_ca.empty()) {
        out.pem_root_certs = external_scaler::content_of(from.client_ca);
        out.client_certificate_request = GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY;
    }
    return grpc::SslServerCredentials(out);
}

void wait_for_stop(const sigset_t& stops, const std::function<void()>& each_turn) {
    const timespec turn{0, std::chrono::nanoseconds(look_each).count()};
    while (::sigtimedwait(&stops, nullptr, &turn) < 0) each_turn();
}

int run(const settings& from) {
    sigset_t stops;
    ::sigemptyset(&stops);
    ::sigaddset(&stops, SIGTERM);
    ::sigaddset(&stops, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &stops, nullptr);  // before a thread begins: each inherits it

    gputide::options options;
    if (!from.ca_file.empty()) options.ca_file(from.ca_file);
    if (!from.secrets_dir.empty()) options.secrets_dir(from.secrets_dir);
    external_scaler::service answers(from.max_age_s * 1'000);
    const external_scaler::policies policies(
        from.files, options,
        [&answers](const std::string& name, const external_scaler::standing& now) { answers.decided(name, now); });
    answers.serve(policies);

    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(from.listen, credentials_of(from), &port);
    builder.SetMaxReceiveMessageSize(max_request_bytes);
    builder.RegisterService(&answers);
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server || port == 0)
        throw std::runtime_error("--listen " + from.listen + ": the address cannot be listened on");
    std::cerr << "gputide_external_scaler: listening on port " << port << std::endl;
    grpc::HealthCheckServiceInterface* health = server->GetHealthCheckService();
    health->SetServingStatus(false);
    health->SetServingStatus(service_name, false);
    bool is_ready = false;
    wait_for_stop(stops, [&] {
        if (is_ready || !policies.is_ready()) return;
        is_ready = true;
        health->SetServingStatus(true);
        health->SetServingStatus(service_name, true);
    });
    health->SetServingStatus(false);
    health->SetServingStatus(service_name, false);
    answers.end_streams();
    server->Shutdown(std::chrono::system_clock::now() + grace);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    settings chosen;
    CLI::App app{"gputide as an external scaler of KEDA"};
    app.add_option("-f,--file", chosen.files, "a ScaledObject to decide by; repeatable")->required();
    app.add_option("--listen", chosen.listen, "HOST:PORT")->capture_default_str();
    CLI::Option* certificate = app.add_option("--tls-cert", chosen.certificate, "PEM; without it there is no TLS");
    CLI::Option* key = app.add_option("--tls-key", chosen.key, "PEM")->needs(certificate);
    certificate->needs(key);
    app.add_option("--tls-client-ca", chosen.client_ca, "PEM; only callers with a certificate of it")
        ->needs(certificate);
    app.add_option("--ca-file", chosen.ca_file, "PEM roots for the metric endpoints");
    app.add_option("--secrets-dir", chosen.secrets_dir, "DIR/<name>/<key> for secretTargetRef");
    app.add_option("--max-age-s", chosen.max_age_s, "an older decision is not an answer")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    try {
        return run(chosen);
    } catch (const std::exception& failed) {
        std::cerr << "gputide_external_scaler: " << failed.what() << std::endl;
        return 1;
    }
}
