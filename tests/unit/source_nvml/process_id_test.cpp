// Container and pod of a process by its cgroup.
#include "source/gpu/processes.hpp"

#include <gtest/gtest.h>

namespace gputide::source::nvml {
namespace {

const std::string id(64, 'a');

TEST(ProcessId, KnowsTheNamesOfRuntimesAndTheKubelet) {
    const std::string uid = "8a3c1d0e-1111-2222-3333-444455556666";
    const std::string under_systemd =
        "0::/kubepods.slice/kubepods-burstable.slice/"
        "kubepods-burstable-pod8a3c1d0e_1111_2222_3333_444455556666.slice/cri-containerd-" +
        id + ".scope\n";
    EXPECT_EQ(identity_of(under_systemd).container_id, id);
    EXPECT_EQ(identity_of(under_systemd).pod_uid, uid);
    const std::string by_cgroupfs = "12:devices:/kubepods/besteffort/pod" + uid + "/" + id + "\n0::/\n";
    EXPECT_EQ(identity_of(by_cgroupfs).container_id, id);
    EXPECT_EQ(identity_of(by_cgroupfs).pod_uid, uid);
    EXPECT_EQ(identity_of("0::/system.slice/docker-" + id + ".scope").container_id, id);
}

TEST(ProcessId, IsEmptyWhereTheTextNamesNone) {
    for (const std::string& text : {std::string(), std::string("0::/"), "0::/docker/" + id + "a",
                                    std::string("0::/user.slice/podman-8a3c1d0e"), std::string("0::/kubepods/podx")}) {
        EXPECT_EQ(identity_of(text).container_id, "") << text;
        EXPECT_EQ(identity_of(text).pod_uid, "") << text;
    }
}

}  // namespace
}  // namespace gputide::source::nvml
