// The body that the parsers of bench/ read: an instant vector of so many GPUs.
#pragma once

#include <random>
#include <string>

namespace gputide::bench {

// As Prometheus 2.42 answers for dcgm-exporter's DCGM_FI_DEV_GPU_UTIL; values of 1 to 16 digits.
inline std::string vector_answer(int series) {
    std::mt19937 random(42);  // NOLINT: the same body in every run
    std::uniform_real_distribution<double> percent(0.0, 100.0);
    std::string out = R"({"status":"success","data":{"resultType":"vector","result":[)";
    for (int i = 0; i < series; ++i) {
        const std::string gpu = std::to_string(i % 8);
        const double exact = percent(random);
        std::string value = i % 3 == 0 ? std::to_string(static_cast<int>(exact)) : std::to_string(exact);
        if (i % 3 == 2) value += "0000001234";
        if (i != 0) out += ",";
        out += R"({"metric":{"DCGM_FI_DRIVER_VERSION":"550.54.15","Hostname":"aks-gpu-)" + std::to_string(i / 8);
        out += R"(","UUID":"GPU-00000000-0000-0000-0000-)" + std::to_string(100'000'000'000 + i);
        out.append(R"(","__name__":"DCGM_FI_DEV_GPU_UTIL","container":"infer","device":"nvidia)").append(gpu);
        out.append(R"(","gpu":")").append(gpu);
        out += R"(","instance":"127.0.0.1:19400","job":"dcgm","modelName":"NVIDIA A100-SXM4-80GB","namespace":"ml",)";
        out += R"("pci_bus_id":"00000000:0)" + gpu + R"(:00.0","pod":"llm-7c9f-)" + std::to_string(i);
        out += R"("},"value":[1795224339.611,")" + value + R"("]})";
    }
    out += "]}}";
    out.reserve(out.size() + 64);  // what simdjson wants to be readable beyond the end
    return out;
}

}  // namespace gputide::bench
