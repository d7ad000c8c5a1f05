// Arbitrary bytes as the body of an answer of the Kubernetes API, and as a kubeconfig: nothing may crash or hang, every
// failure has its reason, every judgement leaves a finite value or a reason.  Built for libFuzzer.
#include "auth/kubernetes/kubeconfig.hpp"
#include "kube/objects.hpp"
#include "require.hpp"
#include "source/kubernetes/metrics.hpp"
#include "source/kubernetes/pod_list.hpp"
#include "source/kubernetes/reading.hpp"
#include "source/kubernetes/version.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace auth = gputide::auth;
namespace k8s = gputide::source::kubernetes;
namespace kube = gputide::kube;
using gputide::fuzz::one_of;
using gputide::fuzz::require;
using gputide::fuzz::require_reason;

namespace {

void require_judgement(const gputide::http::answer& answer, k8s::api api) {
    k8s::settings by;
    by.api = api;
    by.metric = "cpu";
    by.name_space = "ml";
    by.reduction = {"sum", false, false};
    const auto got = k8s::read_answer(answer, by, k8s::endpoint_of(by, "v1beta1"));
    require_reason(got);
    if (!got) return;
    const gputide::source::fetched out = k8s::judge(*got, by);
    require(std::isfinite(out.sample.value));
    require((out.sample.state == gputide::sample_state::ok) == (out.why.status == gputide::status::ok));
}

void require_pods(const gputide::http::answer& answer) {
    std::vector<k8s::listed_pod> pods;
    require_reason(k8s::read_pods(answer, k8s::pod_page("ml", "app=llm", ""), pods));
    for (const k8s::listed_pod& one : pods) {
        for (const char* container : {"", "main"}) (void)one.request_of("cpu", container);
    }
}

// Every file has the same bytes: the kubeconfig, and what it names.
class one_file final : public auth::surroundings {
  public:
    explicit one_file(std::string bytes) : bytes_(std::move(bytes)) {}
    std::optional<std::string> environment(const std::string&) const override { return std::nullopt; }
    gputide::result<gputide::secret_text> read_file(const std::string&, std::size_t) const override {
        return gputide::secret_text(std::string_view(bytes_));
    }

  private:
    const std::string bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string input(reinterpret_cast<const char*>(bytes), size);
    gputide::http::answer answer;
    answer.response.body = input;
    answer.response.status = one_of({200, 200, 200, 404}, size);
    require_judgement(answer, one_of({k8s::api::custom, k8s::api::external, k8s::api::resource}, size));
    require_reason(k8s::read_custom_version(answer));
    require_reason(kube::read_scale(answer, kube::scale_of("ml", "apps/v1", "Deployment", "llm")));
    require_reason(kube::read_lease(answer, kube::lease_of("ml", "gputide")));
    require_pods(answer);
    require_reason(auth::open_kubeconfig({{"/k/config"}, "", {}, false}, std::make_shared<one_file>(input)));
    return 0;
}
