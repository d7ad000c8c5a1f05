// Certificates: which are accepted, which are not, and what the refusal says.
#include "fetching.hpp"
#include "http/libcurl.hpp"
#include "http/message.hpp"
#include "support/fault_server.hpp"
#include "wire/errors.hpp"

#include <array>
#include <cstdlib>

namespace gputide::http {
namespace {

using testing::connection;
using testing::fault_server;
using testing::plain_answer;
using testing::tls_files;

struct tls_test : ::testing::Test {
    static std::unique_ptr<testing::certificate_folder> folder;

    static void SetUpTestSuite() { folder = std::make_unique<testing::certificate_folder>(); }
    static void TearDownTestSuite() { folder.reset(); }
    static std::string path(const std::string& name) { return folder->path(name); }
    static std::string text(const std::string& name) { return folder->text(name); }
    static tls_files of(const std::string& name) { return {path(name + ".pem"), path(name + ".key"), ""}; }
    static tls_settings trusting_ours() {
        tls_settings out;
        out.ca_pem = text("ours.pem");
        return out;
    }
    static request with(std::string url, tls_settings settings) {
        request out = get(std::move(url));
        out.tls = std::make_shared<const tls_settings>(std::move(settings));
        return out;
    }
    static fault_server::script hello() {
        return [](connection& peer) {
            while (peer.read_request()) {
                if (!peer.send(plain_answer(peer.server_name()))) return;
            }
        };
    }
};
std::unique_ptr<testing::certificate_folder> tls_test::folder;

TEST_F(tls_test, AcceptsItsOwnCaAsTextOrFile) {
    fault_server server(hello(), of("good"));
    const auto client = open_client();
    const answer by_text = fetch(*client, with(server.url("/", "localhost"), trusting_ours()));
    EXPECT_EQ(by_text.response.status, 200) << by_text.fault_text;
    EXPECT_EQ(by_text.response.body, "localhost");
    tls_settings by_file;
    by_file.ca_file = path("ours.pem");
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), by_file)).response.status, 200);
    EXPECT_EQ(fetch(*client, with(server.url(), trusting_ours())).response.status, 200);  // by IP address
}

TEST_F(tls_test, ReadsSslCertFile) {
    fault_server server(hello(), of("good"));
    setenv("SSL_CERT_FILE", path("ours.pem").c_str(), 1);
    const auto client = open_client();
    unsetenv("SSL_CERT_FILE");
    EXPECT_EQ(fetch(*client, get(server.url("/", "localhost"))).response.status, 200);
    EXPECT_EQ(fetch(*open_client(), get(server.url("/", "localhost"))).fault, fault::tls_verify);
}

// By hash alone, as c_rehash leaves a folder; what is in it is all that is trusted then.
TEST_F(tls_test, ReadsSslCertDir) {
    fault_server server(hello(), of("good"));
    setenv("SSL_CERT_DIR", path("roots").c_str(), 1);
    const auto client = open_client();
    setenv("SSL_CERT_DIR", path("").c_str(), 1);
    const auto without_hashes = open_client();
    unsetenv("SSL_CERT_DIR");
    EXPECT_EQ(fetch(*client, get(server.url("/", "localhost"))).response.status, 200);
    const answer refused = fetch(*without_hashes, get(server.url("/", "localhost")));
    EXPECT_EQ(refused.fault, fault::tls_verify);
    EXPECT_NE(refused.fault_text.find("the CA folder " + path("")), std::string::npos) << refused.fault_text;
}

TEST_F(tls_test, LooksForRootsWhereLibcurlsOwnAreMissing) {
    const std::string there = path("ours.pem"), also_there = path("theirs.pem"), missing = path("missing.pem");
    const std::array<const char*, 3> known{missing.c_str(), also_there.c_str(), there.c_str()};
    EXPECT_EQ(roots_instead_of(there, known), "");  // libcurl's own
    EXPECT_EQ(roots_instead_of(missing, known), also_there);
    EXPECT_EQ(roots_instead_of("", known), also_there);
    EXPECT_EQ(roots_instead_of(missing, std::span(known).first(1)), "");
}

TEST_F(tls_test, RefusesAnUnknownCa) {
    fault_server server(hello(), of("good"));
    const auto client = open_client();
    tls_settings theirs;
    theirs.ca_pem = text("theirs.pem");
    for (const request& what : {get(server.url("/", "localhost")), with(server.url("/", "localhost"), theirs)}) {
        const answer got = fetch(*client, what);
        ASSERT_EQ(got.fault, fault::tls_verify) << got.fault_text;
        EXPECT_TRUE(holds(got.fault_text, "certificate"));
    }
    EXPECT_EQ(server.requests(), 0);
    const error why = fault_error(fetch(*client, with(server.url("/", "localhost"), theirs)));
    EXPECT_EQ(why.status, status::security);
    EXPECT_FALSE(why.retryable);
    for (const char* part : {"certificate", "localhost", "issuer", "the CA given as text", "ca_file"}) {
        EXPECT_TRUE(holds(why.message, part)) << part << " in " << why.message;
    }
}

TEST_F(tls_test, RefusesAnotherHostsCertificate) {
    fault_server server(hello(), of("named"));
    const auto client = open_client();
    const answer got = fetch(*client, with(server.url("/", "localhost"), trusting_ours()));
    EXPECT_EQ(got.fault, fault::tls_verify);
    EXPECT_TRUE(holds(got.fault_text, "expected one for localhost")) << got.fault_text;
    EXPECT_EQ(server.requests(), 0);
}

TEST_F(tls_test, RefusesAnExpiredCertificate) {
    fault_server server(hello(), of("expired"));
    const auto client = open_client();
    const answer got = fetch(*client, with(server.url("/", "localhost"), trusting_ours()));
    EXPECT_EQ(got.fault, fault::tls_verify);
    EXPECT_TRUE(holds(got.fault_text, "expired")) << got.fault_text;
}

TEST_F(tls_test, VerifiesAnotherNameOnRequest) {
    fault_server server(hello(), of("named"));
    const auto client = open_client();
    tls_settings named = trusting_ours();
    named.server_name = "prom.internal";
    const answer got = fetch(*client, with(server.url("/path?q=1"), named));
    ASSERT_TRUE(got.arrived()) << got.fault_text;
    EXPECT_EQ(got.response.body, "prom.internal");
    EXPECT_TRUE(holds(server.last_request(), "GET /path?q=1 HTTP/1.1\r\n"));
    EXPECT_TRUE(holds(server.last_request(), "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"))
        << server.last_request();
}

TEST_F(tls_test, ConnectsElsewhereOnRequest) {
    fault_server server(hello(), of("named"));
    const auto client = open_client();
    tls_settings elsewhere = trusting_ours();
    elsewhere.connect_to = "127.0.0.1:" + std::to_string(server.port());
    const answer got = fetch(*client, with("https://prom.internal/x", elsewhere));
    ASSERT_TRUE(got.arrived()) << got.fault_text;
    EXPECT_EQ(got.response.body, "prom.internal");
    EXPECT_TRUE(holds(server.last_request(), "Host: prom.internal\r\n"));
}

TEST_F(tls_test, UnverifiedOnlyOnRequestAndNotFromThenOn) {
    fault_server server(hello(), of("expired"));
    const auto client = open_client();
    tls_settings unsafe;
    unsafe.verify = false;
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), unsafe)).response.status, 200);
    EXPECT_EQ(fetch(*client, get(server.url("/", "localhost"))).fault, fault::tls_verify);
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), trusting_ours())).fault, fault::tls_verify);
}

TEST_F(tls_test, ShowsAClientCertificate) {
    tls_files files = of("good");
    files.client_ca = path("ours.pem");
    fault_server server(hello(), files);
    const auto client = open_client();
    tls_settings mutual = trusting_ours();
    mutual.client_certificate_pem = secret_text(text("client.pem"));
    mutual.client_key_pem = secret_text(text("client.key"));
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), mutual)).response.status, 200);
    // Its connection is not lent to requests without the certificate.
    const answer without = fetch(*client, with(server.url("/", "localhost"), trusting_ours()));
    EXPECT_EQ(without.fault, fault::tls_handshake) << without.fault_text;
    EXPECT_TRUE(holds(fault_error(without).message, "client certificate"));
}

// A client's certificate is public; its connection serves only requests with its key.
TEST_F(tls_test, AConnectionIsItsKeysOwn) {
    tls_files files = of("good");
    files.client_ca = path("ours.pem");
    fault_server server(hello(), files);
    const auto client = open_client();
    tls_settings owner = trusting_ours();
    owner.client_certificate_pem = secret_text(text("client.pem"));
    owner.client_key_pem = secret_text(text("client.key"));
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), owner)).response.status, 200);
    tls_settings thief = owner;
    thief.client_key_pem = secret_text(text("good.key"));
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), thief)).fault, fault::tls_handshake);
    EXPECT_EQ(fetch(*client, with(server.url("/", "localhost"), owner)).response.status, 200);
}

TEST_F(tls_test, AKeyThatIsNotTheCertificatesIsNamedBeforeAnythingIsSent) {
    const auto verdict = [](const std::string& certificate, const std::string& key) {
        tls_settings settings;
        if (!certificate.empty()) settings.client_certificate_pem = secret_text(text(certificate));
        if (!key.empty()) settings.client_key_pem = secret_text(text(key));
        const auto checked = check_client_certificate(settings);
        return checked ? std::string("fine") : checked.failure().message;
    };
    EXPECT_EQ(verdict("client.pem", "client.key"), "fine");
    EXPECT_EQ(verdict("", ""), "fine");
    EXPECT_EQ(verdict("client.pem", "good.key"), "the client key does not belong to the client certificate");
    EXPECT_EQ(verdict("client.pem", "client.locked.key"), "fine") << "the handshake's matter";
    EXPECT_EQ(verdict("client.key", "client.key"), "fine") << "the handshake's matter";
}

TEST_F(tls_test, ALockedOrForeignKeyFailsWithoutAQuestion) {
    tls_files files = of("good");
    files.client_ca = path("ours.pem");
    fault_server server(hello(), files);
    const auto client = open_client();
    for (const char* key : {"client.locked.key", "good.key", "ours.pem"}) {
        tls_settings wrong = trusting_ours();
        wrong.client_certificate_pem = secret_text(text("client.pem"));
        wrong.client_key_pem = secret_text(text(key));
        const answer got = fetch(*client, with(server.url("/", "localhost"), wrong));
        EXPECT_EQ(got.fault, fault::tls_handshake) << key << ": " << got.fault_text;
    }
}

TEST_F(tls_test, AMissingCaFileIsNamed) {
    fault_server server(hello(), of("good"));
    tls_settings missing;
    missing.ca_file = "/nowhere/ca.pem";
    const answer got = fetch(*open_client(), with(server.url("/", "localhost"), missing));
    EXPECT_EQ(got.fault, fault::tls_verify);
    EXPECT_TRUE(holds(got.fault_text, "/nowhere/ca.pem")) << got.fault_text;
}

TEST_F(tls_test, PlainHttpBehindHttpsIsAHandshakeFailure) {
    fault_server server([](connection& peer) {
        peer.send(plain_answer("ok"));
        peer.read_request();
    });
    const answer got = fetch(*open_client(), get("https://127.0.0.1:" + std::to_string(server.port()) + "/"), 3'000);
    EXPECT_EQ(got.fault, fault::tls_handshake) << fault_name(got.fault);
}

// The peer goes while the client writes: no signal reaches the host program, which would end it.
TEST_F(tls_test, APeerThatGoesRaisesNoSignal) {
    fault_server server([](connection& peer) { peer.reset(); }, of("good"));
    const auto client = open_client();
    for (int i = 0; i < 20; ++i) {
        request what = with(server.url("/", "localhost"), trusting_ours());
        what.method = "POST";
        what.body = secret_text(std::string(4U << 20U, 'x'));
        EXPECT_FALSE(fetch(*client, what).arrived());
    }
}

TEST_F(tls_test, SixtyFourAtOnceOverTls) {
    fault_server server(
        [](connection& peer) {
            while (peer.read_request()) {
                peer.pause(500);
                if (!peer.send(plain_answer("ok"))) return;
            }
        },
        of("good"));
    const auto client = open_client();
    const std::int64_t deadline = client->steady_ms() + 20'000;
    std::atomic<int> good{0};
    for (int i = 0; i < 64; ++i) {
        client->send(with(server.url("/", "localhost"), trusting_ours()), deadline,
                     [&](const answer& got) { good += got.response.status == 200 ? 1 : 0; });
    }
    EXPECT_TRUE(client->drive([&] { return good == 64; }, deadline)) << good;
    EXPECT_GE(server.max_at_once(), 16);
}

}  // namespace
}  // namespace gputide::http
