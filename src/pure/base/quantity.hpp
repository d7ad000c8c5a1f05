// Kubernetes quantities ("100m", "1.5Gi", "1e3") as exact thousandths, and KEDA's conversion of a metric value to a
// quantity.  Rules: kubernetes/apimachinery pkg/api/resource/quantity.go; kedacore/keda pkg/scalers/scaler.go.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gputide {

struct quantity {
    std::int64_t milli = 0;       // value times 1000, rounded away from zero, saturated at the int64 bound of its sign
    std::int64_t value_up = 0;    // value rounded away from zero to an integer, saturated likewise
    bool milli_overflow = false;  // milli was saturated
};

// Parses [+-] digits[.digits] | .digits, then one of: nothing, n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or e/E with an
// integer exponent.
// Rejects blanks, other suffixes, strings over 1,000 bytes, exponents over 5 digits.
// Rounds to nano and then to milli, each time away from zero: "0.0001" → 1, "1001u" → 2, "1.5Gi" → 1610612736000.
result<quantity> parse_quantity(std::string_view text);

// Returns Quantity.AsApproximateFloat64() of a quantity in the form that the API server stores: rounded to nano, without
// trailing zeros, with an exponent that is a multiple of 3: mantissa * 10^exponent.  A mantissa beyond int64 is saturated.
// Examples: "0.118" is stored as 118m and gives 118 * 0.001 = 0.11800000000000001; "0.0125" is stored as 12500u and gives
// 12500 * 0.000001.
result<double> approximate_quantity(std::string_view text);

// Returns a metric value or threshold as the quantity that KEDA passes to the HPA: NaN, ±Inf and negatives → 0; else
// the decimal text "%.3f" (correct rounding to the nearest milli, exact ties to even), saturated at int64 max.
// 2.0005 → 2001 (its binary value is just above the tie), 1.0005 → 1000.
std::int64_t keda_milli(double value);

// Returns KEDA's decimal text of a metric value, without a limit: "9300000000000000000" for 9.3e15.
std::string keda_milli_text(double value);

// Tells whether a name is that of a resource by which pods ask for GPUs: cluster-autoscaler's list (kubernetes/autoscaler
// utils/gpu/gpu.go).
bool is_known_gpu(std::string_view resource_name);

// Returns an amount of memory for people, in GiB or MiB with at most one decimal: "14.8 GiB", "512 MiB", "900 bytes".
std::string bytes_text(std::int64_t bytes);

}  // namespace gputide
