// Powers as Go's math package computes them, to the last bit: values of KEDA's formulas and of the VerticalPodAutoscaler's
// histograms are cut to whole numbers after them.  golang/go src/math/exp.go, src/math/pow.go @go1.26.8.
#pragma once

namespace gputide {

double go_exp2(double x) noexcept;

// An exponent that is not a whole number is the C library's pow: on amd64 Go takes it through an exp of its own in assembly.
double go_pow(double x, double y) noexcept;

}  // namespace gputide
