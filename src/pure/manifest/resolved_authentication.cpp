// Resolves a TriggerAuthentication to authParams (kedacore/keda pkg/scaling/resolver/scale_resolvers.go).
#include "base/encode.hpp"
#include "base/format_text.hpp"
#include "base/text.hpp"
#include "manifest/authentication.hpp"
#include "manifest/keda_operator.hpp"

#include <algorithm>
#include <utility>

namespace gputide::manifest {
namespace {

// A manifest may refer to one Secret from many triggers.  These limits bound the total size and the number of look-ups.
constexpr std::size_t max_resolved_bytes = std::size_t{16} << 20;
constexpr std::size_t bytes_of_a_look_up = 1024;

error missing(std::string message) { return fail(status::invalid, std::move(message)); }

const node* member_of(const node& object, std::string_view block, std::string_view key) {
    const node* data = object.find(block);
    return data == nullptr ? nullptr : data->find(key);
}

// stringData has precedence over data, as when the API server stores the Secret.
result<secret_text> value_in(const manifest& store, const std::string& key) {
    const node& object = *store.at.at;
    if (store.kind == document_kind::token_request) {
        const node* token = member_of(object, "status", "token");
        if (token != nullptr && token->kind == node_kind::scalar && !token->text.empty())
            return secret_text(token->text);
        return missing(format_text("the TokenRequest {} has no status.token", in_quotes(store.metadata.name)));
    }
    const bool secret = store.kind == document_kind::secret;
    const node* plain = member_of(object, secret ? "stringData" : "data", key);
    if (plain != nullptr && plain->kind == node_kind::scalar) return secret_text(plain->text);

    const node* encoded = member_of(object, secret ? "data" : "binaryData", key);
    if (encoded == nullptr || encoded->kind != node_kind::scalar) {
        return missing(format_text("the {}{} has no key {}", secret ? "Secret " : "ConfigMap ",
                                   in_quotes(store.metadata.name), in_quotes(key)));
    }
    std::optional<std::string> decoded = decode_base64(encoded->text);
    if (!decoded) {
        return missing(format_text("data.{} of the {}{} is not base64; plain text belongs in {}", key,
                                   secret ? "Secret " : "ConfigMap ", in_quotes(store.metadata.name),
                                   secret ? "stringData" : "data"));
    }
    return secret_text(std::move(*decoded));
}

// Says what KEDA does for the account if the list of its operator is known.
std::string fate_of_token(const std::string& account, const std::string& name_space, const load_context& context) {
    const variable list = look_up(context.host.environment, token_audiences_variable);
    if (!list.is_allowed || !list.value) return {};
    const auto policy = read_token_policy("", *list.value);
    if (!policy) return "; KEDA 2.21 does not start: " + policy.failure().message;
    const auto audiences = policy->audiences_for(name_space, account);
    if (!audiences) return "; KEDA 2.21 refuses it: " + audiences.failure().message;
    return "; KEDA 2.21 requests it with the audience " + in_quotes(audiences->front());
}

result<secret_text> stored_value(const parameter_reference& reference, const std::string& name_space,
                                 const load_context& context) {
    const document_kind kind = *reference.store;
    const bool is_token = kind == document_kind::token_request;
    if (const manifest* store = context.documents.find_store(kind, reference.name, name_space))
        return value_in(*store, reference.key);
    if (context.host.secret && !is_token) return context.host.secret({kind, name_space, reference.name}, reference.key);
    const manifest* elsewhere = context.documents.find_store(kind, reference.name, "");
    std::string message = format_text(
        "the {}{} is not given", is_token ? "token of service account " : "",
        is_token ? in_quotes(reference.name) : format_text("{} {}", kind_text(kind), in_quotes(reference.name)));
    if (elsewhere != nullptr) {
        message += format_text(" in namespace {}, only in {}", in_quotes(name_space),
                               in_quotes(elsewhere->metadata.name_space));
    }
    if (is_token) message += fate_of_token(reference.name, name_space, context);
    return missing(std::move(message));
}

// In a cluster, KEDA reads the store of a ClusterTriggerAuthentication in its own namespace (kedacore/keda
// pkg/scaling/resolver/scale_resolvers.go resolveAuthRef), not in that of the workload.  Files do not tell which namespace
// that is; a document of that name in any namespace is therefore used.
void warn_of_other_namespace(const parameter_reference& reference, const load_context& context) {
    constexpr std::string_view usual = "keda";
    if (!context.host.cluster_secrets_namespace.empty()) return;
    const manifest* store = context.documents.find_store(*reference.store, reference.name, "");
    if (store == nullptr || store->metadata.name_space == usual) return;
    context.findings.add(
        severity::warning, "secret-elsewhere", reference.at,
        format_text("the {} {} is in namespace {}; on a cluster the values of a ClusterTriggerAuthentication are read "
                    "in KEDA's own "
                    "namespace (mostly keda)",
                    kind_text(store->kind), in_quotes(reference.name), store->metadata.name_space),
        "put it into KEDA's namespace, or use a TriggerAuthentication");
}

result<secret_text> environment_value(const std::string& name, const load_context& context) {
    variable answer = look_up(context.host.environment, name);
    if (!answer.is_allowed) return missing("env: " + not_allowed_text(name, answer));
    if (!answer.value) return missing(format_text("the environment variable {} is not set", name));
    return secret_text(*std::move(answer.value));
}

std::string remedy_for(const parameter_reference& reference) {
    if (!reference.store) return format_text("set {}, and {}", reference.name, how_to_allow);
    if (reference.store == document_kind::token_request)
        return "on a cluster gputided run --kubernetes requests it; without one mount a projected token of that "
               "account, and name its file: podIdentity.provider: bearer-file with the parameter tokenFile";
    return format_text("give a {} document {} with the key {}, or a secrets folder with {}/{}",
                       kind_text(*reference.store), in_quotes(reference.name), in_quotes(reference.key), reference.name,
                       reference.key);
}

const written_authentication* find(const load_context& context, bool cluster, std::string_view name,
                                   std::string_view name_space) {
    const auto at = std::ranges::find_if(context.authentications, [&](const written_authentication& written) {
        return written.cluster == cluster && written.name == name &&
               (cluster || name_space.empty() || written.name_space == name_space);
    });
    return at == context.authentications.end() ? nullptr : &*at;
}

void report_missing(const cursor& reference, const std::string& kind, const std::string& name,
                    const std::string& name_space, bool strict, const load_context& context) {
    const bool cluster = kind == "ClusterTriggerAuthentication";
    std::string message = format_text("the {} {} is not given", kind, in_quotes(name));
    if (const written_authentication* other = find(context, cluster, name, "")) {
        message += format_text(" in namespace {}, only in {}", in_quotes(name_space), in_quotes(other->name_space));
    } else if (find(context, !cluster, name, "") != nullptr) {
        message +=
            format_text(", only a {} of that name", cluster ? "TriggerAuthentication" : "ClusterTriggerAuthentication");
    }
    context.findings.add(context.level_of_missing(strict), "missing-authentication", reference.where(), message,
                         "add its document, or correct authenticationRef.name and kind");
}

// The context of references, and the treatment of a missing reference.
struct resolution {
    const place& at;
    const std::string& store_namespace;
    bool strict = false;
    bool is_cluster_wide = false;  // of a ClusterTriggerAuthentication
};

void resolve_references(const std::vector<parameter_reference>& references, const resolution& how,
                        const load_context& context, std::map<std::string, secret_text>& parameters) {
    for (const parameter_reference& reference : references) {
        if (reference.parameter.empty() || reference.name.empty()) continue;  // rejected when it was read
        if (context.resolved_bytes > max_resolved_bytes) {
            context.findings.add(severity::error, "too-large", how.at,
                                 "the authentication parameters of all triggers together are too many or too large",
                                 "split the manifests");
            return;
        }
        context.resolved_bytes += bytes_of_a_look_up;
        const bool variable = !reference.store;
        result<secret_text> value = variable ? environment_value(reference.name, context)
                                             : stored_value(reference, how.store_namespace, context);
        if (!value) {
            const bool not_allowed = variable && !context.host.environment;
            const bool is_token = reference.store == document_kind::token_request;
            context.findings.add(
                context.level_of_missing(how.strict && !not_allowed && !is_token),
                variable ? "missing-variable" : "missing-secret", reference.at,
                format_text("parameter {}: {}", in_quotes(reference.parameter), value.failure().message),
                remedy_for(reference));
            parameters[reference.parameter] = secret_text();
            continue;
        }
        if (how.is_cluster_wide && !variable) warn_of_other_namespace(reference, context);
        context.resolved_bytes += value->reveal().size();
        parameters[reference.parameter] = std::move(*value);
    }
}

// Converts azureServicePrincipal to the equivalent podIdentity.  The strict profile ignores it with a warning: in KEDA only
// azure-pipelines and azure-cosmosdb read it, and gputide has neither trigger.
void take_principal(const service_principal& from, const resolution& how, const load_context& context,
                    authentication& to) {
    const bool is_alone = to.provider.empty() || to.provider == "none";
    if (how.strict || !is_alone) {
        context.findings.add(severity::warning, "key-without-effect", from.at,
                             how.strict
                                 ? std::string("azureServicePrincipal has no effect: in KEDA only azure-pipelines and "
                                               "azure-cosmosdb read it")
                                 : "azureServicePrincipal has no effect together with podIdentity " + to.provider,
                             "remove it, or use it alone");
        return;
    }
    context.findings.add(
        severity::note, "beyond-keda", from.at,
        format_text("azureServicePrincipal is used as podIdentity {}; in KEDA only azure-pipelines and "
                    "azure-cosmosdb read it",
                    from.provider),
        format_text("write podIdentity.provider: {} instead", from.provider));
    to.provider = from.provider;
    to.parameters["tenantId"] = secret_text(from.tenant_id);
    to.parameters["clientId"] = secret_text(from.client_id);
    if (!from.authority_host.empty()) {
        to.identity_authority_host = from.authority_host;
    } else if (!from.cloud.empty()) {
        to.identity_cloud = from.cloud;
    }
    resolve_references(from.references, how, context, to.parameters);
}

}  // namespace

authentication resolve_authentication(const cursor& reference, const std::string& name_space, bool strict,
                                      const load_context& context) {
    mapping ref(reference, context.findings);
    const std::string name = ref.required_text("name");
    const std::string kind = ref.text("kind").value_or("TriggerAuthentication");
    ref.ignore({"apiVersion"});
    ref.finish();
    if (name.empty()) return {};
    if (kind != "TriggerAuthentication" && kind != "ClusterTriggerAuthentication") {
        ref.error("kind", "invalid-value",
                  "kind: expected TriggerAuthentication or ClusterTriggerAuthentication, got " + in_quotes(kind),
                  "write one of the two; TriggerAuthentication is the default");
        return {};
    }
    const bool cluster = kind == "ClusterTriggerAuthentication";
    const written_authentication* found = find(context, cluster, name, name_space);
    if (found == nullptr) {
        report_missing(reference, kind, name, name_space, strict, context);
        return {};
    }
    return resolve(*found, reference.where(), name_space, strict, context);
}

authentication resolve(const written_authentication& written, const place& place, const std::string& name_space,
                       bool strict, const load_context& context) {
    authentication out = written.identity;
    out.is_cluster_wide = written.cluster;
    const std::string& space = written.cluster ? context.host.cluster_secrets_namespace : name_space;
    resolve_references(written.references, {place, space, strict, written.cluster}, context, out.parameters);
    for (const auto& [parameter, value] : written.values) out.parameters[parameter] = secret_text(value);
    if (written.principal) take_principal(*written.principal, {place, space, strict, written.cluster}, context, out);
    return out;
}

}  // namespace gputide::manifest
