// Powers computed as Go's math package does, equal to the last bit: KEDA's formulas and the VerticalPodAutoscaler's
// histograms cut the results to whole numbers. golang/go src/math/exp.go, src/math/pow.go @go1.26.8.
#pragma once

namespace gputide {

double go_exp2(double x) noexcept;

// Uses pow of the C library if y is not a whole number: on amd64 Go computes it with an exp in assembly.
double go_pow(double x, double y) noexcept;

}  // namespace gputide
