// The table.  Sources: learn.microsoft.com/entra/identity-platform/reference-error-codes, Azure/azure-sdk-for-cpp
// sdk/identity/azure-identity/TROUBLESHOOTING.md; 700211..700213 are known from public reports only.
#include "auth/azure/aadsts.hpp"

#include <algorithm>
#include <array>

namespace gputide::auth {
namespace {

constexpr std::string_view compare_credential =
    "compare issuer, subject and audience with `az identity federated-credential list`; a new one needs up to minutes "
    "to "
    "spread";
constexpr std::string_view check_client =
    "check AZURE_CLIENT_ID and AZURE_TENANT_ID, and that the authority is of the same cloud";
constexpr std::string_view check_certificate =
    "upload the certificate to the application; its thumbprint must match the key, signed with RS256 or PS256";
constexpr std::string_view check_secret = "use the secret's value, not its id";
constexpr std::string_view check_tenant = "check AZURE_TENANT_ID";
constexpr std::string_view check_cloud = "check AZURE_AUTHORITY_HOST: the tenant lives in another cloud";
constexpr std::string_view check_resource =
    "use the scope of the right cloud, and register the resource provider in the tenant";
constexpr std::string_view one_scope = "ask for one scope of the form <resource>/.default";
constexpr std::string_view ask_admin = "ask the tenant's administrator, with the suberror and claims of this error";
constexpr std::string_view field_missing = "a field of the form is missing";
constexpr std::string_view our_fault = "an empty token, a proxy that changes requests, or a fault of this library";
constexpr std::string_view try_later = "the identity service is unavailable for the moment";

constexpr std::array<aadsts_code, 49> table = {{
    {70021, error_class::propagation,
     "no federated credential matches issuer, subject and audience of the service-account token", compare_credential},
    {700211, error_class::propagation, "no federated credential has the issuer of the service-account token",
     "compare the issuer with the credential's; issuer URLs of AKS end in '/'; a new one needs up to minutes to "
     "spread"},
    {700212, error_class::propagation, "no federated credential has the audience of the service-account token",
     "the audience must be api://AzureADTokenExchange on both sides"},
    {700213, error_class::propagation, "no federated credential has the subject of the service-account token",
     "the subject must be system:serviceaccount:<namespace>:<name> of the pod that runs this process"},
    {700024, error_class::stale_assertion,
     "the service-account token is outside its time range and its file has not changed",
     "see whether somebody caches the file, the kubelet stopped rotating it, or the clock is wrong"},
    {700016, error_class::permanent, "the client id is unknown in this tenant", check_client},
    {700011, error_class::permanent, "the client id is unknown in this tenant", check_client},
    {70001, error_class::permanent, "the application is disabled or not usable", "enable it in the tenant"},
    {7000112, error_class::permanent, "the application is disabled", "enable it in the tenant"},
    {700021, error_class::permanent, "issuer or subject of the assertion is not the client id",
     "use the client id that the certificate belongs to"},
    {700023, error_class::permanent, "the assertion is for another endpoint, or the scope has no resource",
     "check the authority and the scope"},
    {700027, error_class::permanent, "the assertion's signature was refused", check_certificate},
    {50012, error_class::permanent, "the assertion's signature or certificate was refused", check_certificate},
    {900384, error_class::permanent, "the assertion's signature was refused", check_certificate},
    {50027, error_class::permanent, "the assertion is not a JWT",
     "AZURE_FEDERATED_TOKEN_FILE must name a projected service-account token"},
    {700030, error_class::permanent, "the subject name of the certificate is not authorised",
     "send the certificate chain (x5c) only where a trusted subject name is set up"},
    {7000215, error_class::permanent, "the client secret is wrong", check_secret},
    {70002, error_class::permanent, "the client secret is wrong", check_secret},
    {7000222, error_class::permanent, "the client secret has expired", "make a new one"},
    {7000218, error_class::permanent, field_missing, our_fault},
    {900144, error_class::permanent, field_missing, our_fault},
    {90014, error_class::permanent, field_missing, our_fault},
    {90002, error_class::permanent, "the tenant is unknown", check_tenant},
    {90019, error_class::permanent, "the request names no tenant", check_tenant},
    {900023, error_class::permanent, "the tenant is malformed", check_tenant},
    {90038, error_class::permanent, "the tenant lives in another cloud", check_cloud},
    {900382, error_class::permanent, "the application belongs to another cloud", check_cloud},
    {900432, error_class::permanent, "the tenant lives in another cloud", check_cloud},
    {500011, error_class::permanent, "the resource of the scope is not in the tenant", check_resource},
    {50001, error_class::permanent, "the resource of the scope is not in the tenant", check_resource},
    {650057, error_class::permanent, "the resource of the scope is not among the application's", check_resource},
    {70011, error_class::permanent, "the scope is malformed", one_scope},
    {28002, error_class::permanent, "the scope is not valid for this resource", one_scope},
    {28003, error_class::permanent, "the scope is empty", one_scope},
    {700022, error_class::permanent, "the scope names several resources", one_scope},
    {901002, error_class::permanent, "the v2.0 endpoint takes no `resource` field", one_scope},
    {53003, error_class::permanent, "conditional access refuses this sign-in", ask_admin},
    {53000, error_class::permanent, "conditional access asks for a compliant device", ask_admin},
    {530032, error_class::permanent, "a security policy of the tenant refuses this sign-in", ask_admin},
    {65001, error_class::permanent, "consent is missing", ask_admin},
    {70043, error_class::permanent, "the sign-in frequency policy refuses this token", ask_admin},
    {90061, error_class::transient, "Entra could not read the cluster's OIDC documents",
     "if it lasts, see whether {issuer}/.well-known/openid-configuration is public"},
    {90006, error_class::transient, try_later, ""},
    {90012, error_class::transient, try_later, ""},
    {90024, error_class::transient, try_later, ""},
    {90033, error_class::transient, try_later, ""},
    {90090, error_class::transient, try_later, ""},
    {90055, error_class::throttled, "too many requests for tokens",
     "see which part of the program does without a token cache"},
    {50196, error_class::request_loop, "the service saw the same request again and again",
     "wait a minute; see which part of the program does without a token cache"},
}};

}  // namespace

const aadsts_code* find_aadsts(std::int64_t number) {
    const auto found =
        std::find_if(table.begin(), table.end(), [number](const aadsts_code& code) { return code.number == number; });
    return found == table.end() ? nullptr : &*found;
}

}  // namespace gputide::auth
