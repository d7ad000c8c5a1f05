// A label selector as the HPA's texts show it: Go's form of the object.
#pragma once

#include <string>
#include <string_view>

namespace gputide::decide {

// "" is nil.  Worked: "a=b,c in (x,y)" →
// &LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,
// Operator:In,Values:[x y],},},} without the line break.
// Source: kubernetes/apimachinery pkg/apis/meta/v1/generated.pb.go LabelSelector.String.
std::string selector_text(std::string_view selector);

}  // namespace gputide::decide
