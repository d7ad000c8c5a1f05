"""Facts that the headers do not contain: names of their enums, by the first constant, and the components of the library.

A new enum of the header needs one line here; the generator stops and says so until it has it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EnumName:
    name: str
    prefix: str = ""  # what its constants share and a language's members leave out, behind GPUTIDE_
    flags: bool = False  # bits of a set
    spelled_by: str = ""  # the C function that gives a number's word


ENUMS = {
    "GPUTIDE_FEATURE_PURE": EnumName("feature", "FEATURE_", flags=True),
    "GPUTIDE_OK": EnumName("status", "E_", spelled_by="gputide_status_name"),
    "GPUTIDE_ACTION_NONE": EnumName("action", "ACTION_", spelled_by="gputide_action_name"),
    "GPUTIDE_LOG_ERROR": EnumName("log_level", "LOG_"),
    "GPUTIDE_ALLOW_ENVIRONMENT": EnumName("option", flags=True),
    "GPUTIDE_SAMPLE_NOT_GIVEN": EnumName("sample_state", "SAMPLE_", spelled_by="gputide_sample_state_name"),
    "GPUTIDE_SAMPLE_NULL_AS_ZERO": EnumName("sample_flag", "SAMPLE_", flags=True),
    "GPUTIDE_STATE_UNCHECKED": EnumName("state_flag", "STATE_", flags=True),
    "GPUTIDE_POD_RUNNING": EnumName("pod_phase", "POD_"),
    "GPUTIDE_READY_YES": EnumName("readiness", "READY_"),
    "GPUTIDE_OBSERVED_STATUS": EnumName("observation_flag", flags=True),
    "GPUTIDE_LIMIT_NONE": EnumName("limit", "LIMIT_", spelled_by="gputide_limit_name"),
    "GPUTIDE_SOURCE_HPA": EnumName("decision_source", "SOURCE_"),
    "GPUTIDE_NO_SCALE_EVENT": EnumName("scale_event", spelled_by="gputide_event_name"),
    "GPUTIDE_ABLE_TO_SCALE": EnumName("condition", "CONDITION_", spelled_by="gputide_condition_name"),
    "GPUTIDE_ABSENT": EnumName("truth"),
    "GPUTIDE_DECIDED_ACTIVE": EnumName("decision_flag", "DECIDED_", flags=True),
    "GPUTIDE_RUNTIME_EVERY_DECISION": EnumName("runtime_flag", "RUNTIME_", flags=True),
    "GPUTIDE_EVENT_DECISION": EnumName("event_kind", "EVENT_", spelled_by="gputide_event_kind_name"),
    "GPUTIDE_FORECAST_WARMING": EnumName("forecast_state", "FORECAST_", spelled_by="gputide_forecast_state_name"),
    "GPUTIDE_FLOOR_RAISED": EnumName("floor_reason", "FLOOR_", spelled_by="gputide_floor_reason_name"),
    "GPUTIDE_USAGE_BUSY": EnumName("usage_flag", "USAGE_", flags=True),
}

# Constants that stand among an enum's and are the size of an array, not a value.
ARRAY_SIZES = {"GPUTIDE_MAX_CONDITIONS"}


@dataclass(frozen=True)
class Component:
    table: str  # the function that returns its table; the table's type is this with _table
    headers: tuple[str, ...]
    flavors: tuple[str, ...]  # the flavors that have the whole component
    table_in: tuple[str, ...]  # the flavors that have its table


HEADERS = ("gputide.h", "source.h", "runtime.h", "plan.h", "kubernetes.h")
COMPONENTS = (
    Component("gputide_api", ("gputide.h", "source.h", "runtime.h"), ("core", "full"), ("pure", "core", "full")),
    Component("gputide_plan_api", ("plan.h",), ("full",), ("pure", "full")),
    Component("gputide_kubernetes_api", ("kubernetes.h",), ("full",), ("full",)),
)
# The functions that libgputide-pure exports, as the top of gputide.h lists them.
PURE_HEADERS = ("gputide.h", "plan.h")
NOT_IN_PURE = ("gputide_scaler_", "gputide_series_fetch")
ALSO_IN_PURE = {"gputide_quantity", "gputide_set_allocator"}
# A loader calls it before there is a table.
NOT_IN_A_TABLE = {"gputide_abi_version"}
