// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

/** Sizes, offsets and numbers of gputide.h, in bytes and as in C. */
final class Abi {
    static final int TEXT = -1;
    static final int FOREVER = -1;
    static final int NO_METRIC = -1;
    static final int FORMULA = -2;
    static final long NO_VALUE = Long.MIN_VALUE;
    static final int VERSION_MAJOR = 0;
    static final int VERSION_MINOR = 3;
    static final int VERSION_PATCH = 0;
    static final int ABI_VERSION = 1;
    static final int MAX_CONDITIONS = 16;

    static final int SAMPLE_NULL_AS_ZERO = 1;
    static final int OBSERVED_STATUS = 1;
    static final int OBSERVED_READY = 2;
    static final int SCALE_UNREADABLE = 4;
    static final int OBSERVED_PODS = 8;
    static final int DECIDED_ACTIVE = 1;
    static final int DECIDED_ERROR = 2;
    static final int DECIDED_EXECUTOR = 4;
    static final int DECIDED_HPA = 8;
    static final int OK = 0;
    static final int E_INVALID = 1;
    static final int E_AUTH = 2;
    static final int E_FORBIDDEN = 3;
    static final int E_THROTTLED = 4;
    static final int E_UNAVAILABLE = 5;
    static final int E_UNSUPPORTED = 6;
    static final int E_TIMEOUT = 7;
    static final int E_CANCELLED = 8;
    static final int E_REJECTED = 9;
    static final int E_PROTOCOL = 10;
    static final int E_SECURITY = 11;
    static final int E_NO_DATA = 12;
    static final int E_AMBIGUOUS = 13;
    static final int E_PARTIAL = 14;
    static final int E_LIMIT = 15;
    static final int E_STATE = 16;
    static final int E_TOO_NEW = 17;
    static final int E_NO_MEMORY = 18;
    static final int E_BUG = 19;
    static final int E_NOT_FOUND = 20;
    static final int ALLOW_ENVIRONMENT = 1;
    static final int ALLOW_PLAIN_HTTP = 2;
    static final int ALLOW_CUSTOM_AUTHORITY = 4;
    static final int ENABLE_AZURE_PROXY = 8;
    static final int STRICT = 16;
    static final int VERIFIED_PEERS = 32;
    static final int ALLOW_UNVERIFIED_PEERS = 64;
    static final int STATE_UNCHECKED = 1;
    static final int FEATURE_PURE = 1;
    static final int FEATURE_CORE = 2;
    static final int FEATURE_PLAN = 4;
    static final int FEATURE_KUBERNETES = 8;
    static final int FEATURE_YAML = 16;
    static final int FEATURE_HTTP2 = 32;
    static final int FEATURE_CRON = 64;
    static final int RUNTIME_EVERY_DECISION = 1;
    static final int RUNTIME_REPORTS = 2;
    static final int RUNTIME_NO_SHARING = 4;
    static final int RUNTIME_OBSERVE_FIRST = 8;
    static final int USAGE_BUSY = 1;
    static final int USAGE_MEMORY = 2;
    static final int USAGE_OOM = 4;

    private Abi() {}

    static final class Sample {
        static final int SIZE = 40;
        static final int STRUCT_SIZE = 0;
        static final int STATE = 4;
        static final int STATUS = 8;
        static final int FLAGS = 12;
        static final int VALUE = 16;
        static final int TIME_MS = 24;
        static final int MESSAGE = 32;
    }

    static final class Observation {
        static final int SIZE = 88;
        static final int STRUCT_SIZE = 0;
        static final int FLAGS = 4;
        static final int NOW_MS = 8;
        static final int CURRENT_REPLICAS = 16;
        static final int STATUS_REPLICAS = 20;
        static final int READY_REPLICAS = 24;
        static final int SAMPLE_COUNT = 28;
        static final int SAMPLES = 32;
        static final int PODS = 40;
        static final int POD_SAMPLES = 48;
        static final int POD_COUNT = 56;
        static final int POD_SAMPLE_COUNT = 60;
        static final int SAMPLE_SIZE = 64;
        static final int POD_SIZE = 68;
        static final int POD_SAMPLE_SIZE = 72;
        static final int RESERVED = 76;
        static final int MESSAGE = 80;
    }

    static final class Condition {
        static final int SIZE = 16;
        static final int TRUTH = 0;
        static final int REASON = 4;
        static final int SINCE_MS = 8;
    }

    static final class Decision {
        static final int SIZE = 336;
        static final int STRUCT_SIZE = 0;
        static final int FLAGS = 4;
        static final int ID = 8;
        static final int NOW_MS = 16;
        static final int NEXT_DUE_MS = 24;
        static final int CURRENT_REPLICAS = 32;
        static final int DESIRED_REPLICAS = 36;
        static final int PROPOSED_REPLICAS = 40;
        static final int LIMITED_BY = 44;
        static final int SOURCE = 48;
        static final int WINNER = 52;
        static final int FAILED_METRIC = 56;
        static final int EVENT = 60;
        static final int CONDITIONS = 64;
        static final int FORECAST_STATE = 320;
        static final int FORECAST_NEED = 324;
        static final int MESSAGE = 328;
    }

    static final class Error {
        static final int SIZE = 6368;
        static final int STRUCT_SIZE = 0;
        static final int STATUS = 4;
        static final int ACTION = 8;
        static final int RETRYABLE = 12;
        static final int HTTP_STATUS = 16;
        static final int RESERVED = 20;
        static final int RETRY_AT_MS = 24;
        static final int SERVICE_CODE = 32;
        static final int SERVICE_CODE_BYTES = 64;
        static final int WHERE = 96;
        static final int WHERE_BYTES = 128;
        static final int MESSAGE = 224;
        static final int MESSAGE_BYTES = 2048;
        static final int DETAIL = 2272;
        static final int DETAIL_BYTES = 4096;
    }

    static final class Text {
        static final int SIZE = 16;
        static final int DATA = 0;
        static final int SIZE_BYTES = 8;
    }

    static final class File {
        static final int SIZE = 24;
        static final int NAME = 0;
        static final int TEXT = 8;
        static final int SIZE_BYTES = 16;
    }

    static final class Options {
        static final int SIZE = 136;
        static final int STRUCT_SIZE = 0;
        static final int FLAGS = 4;
        static final int TEXT_NAME = 8;
        static final int SCALER = 16;
        static final int FILES = 24;
        static final int FILE_COUNT = 32;
        static final int FILE_SIZE = 36;
        static final int ALLOWED_ENVIRONMENT = 40;
        static final int ALLOWED_TOKEN_HOSTS = 48;
        static final int ALLOWED_PROGRAMS = 56;
        static final int SECRETS_DIR = 64;
        static final int CA_FILE = 72;
        static final int CA_PEM = 80;
        static final int CA_PEM_BYTES = 88;
        static final int PROXY = 96;
        static final int USER_AGENT = 104;
        static final int KUBECONFIG = 112;
        static final int KUBE_CONTEXT = 120;
        static final int SERVICE_ACCOUNT_DIR = 128;
    }

    static final class TokenInfo {
        static final int SIZE = 32;
        static final int STRUCT_SIZE = 0;
        static final int RESERVED = 4;
        static final int EXPIRES_AT_MS = 8;
        static final int REFRESH_AT_MS = 16;
        static final int USABLE_UNTIL_MS = 24;
    }

    static final class Pod {
        static final int SIZE = 40;
        static final int NAME = 0;
        static final int PHASE = 8;
        static final int READY = 12;
        static final int DELETING = 16;
        static final int RESERVED = 20;
        static final int START_TIME_MS = 24;
        static final int READY_CHANGE_TIME_MS = 32;
    }

    static final class PodSample {
        static final int SIZE = 48;
        static final int METRIC = 0;
        static final int POD = 4;
        static final int VALUE_MILLI = 8;
        static final int REQUEST_MILLI = 16;
        static final int TIME_MS = 24;
        static final int WINDOW_S = 32;
        static final int RESERVED = 36;
        static final int CONTAINER = 40;
    }

    static final class RuntimeOptions {
        static final int SIZE = 56;
        static final int STRUCT_SIZE = 0;
        static final int FLAGS = 4;
        static final int SEED = 8;
        static final int POLL_TIMEOUT_MS = 16;
        static final int START_SPREAD_MS = 20;
        static final int SHARE_WINDOW_MS = 24;
        static final int MAX_IN_FLIGHT = 28;
        static final int MAX_PER_ENDPOINT = 32;
        static final int BREAKER_FAILURES = 36;
        static final int BREAKER_BASE_MS = 40;
        static final int BREAKER_CAP_MS = 44;
        static final int GATHER_MS = 48;
        static final int RESERVED = 52;
    }

    static final class Event {
        static final int SIZE = 376;
        static final int STRUCT_SIZE = 0;
        static final int KIND = 4;
        static final int ID = 8;
        static final int TAG = 16;
        static final int SEQUENCE = 24;
        static final int OBSERVED_MS = 32;
        static final int REPLACED = 40;
        static final int RESERVED = 44;
        static final int NAME = 48;
        static final int NAME_BYTES = 328;
    }

    static final class Floor {
        static final int SIZE = 32;
        static final int STRUCT_SIZE = 0;
        static final int STATE = 4;
        static final int REASON = 8;
        static final int REPLICAS = 12;
        static final int NEED_REPLICAS = 16;
        static final int RESERVED = 20;
        static final int FLOOR_LOAD = 24;
    }

    static final class NodesSummary {
        static final int SIZE = 64;
        static final int STRUCT_SIZE = 0;
        static final int ERRORS = 4;
        static final int WARNINGS = 8;
        static final int RESERVED = 12;
        static final int NODES_TO_ADD = 16;
        static final int NODES_TO_REMOVE = 24;
        static final int PODS_PENDING = 32;
        static final int PODS_ON_EXISTING = 40;
        static final int PODS_ON_NEW = 48;
        static final int PODS_LEFT = 56;
    }

    static final class UsageSample {
        static final int SIZE = 40;
        static final int TIME_MS = 0;
        static final int CONTAINER = 8;
        static final int UNIT = 12;
        static final int FLAGS = 16;
        static final int RESERVED = 20;
        static final int BUSY = 24;
        static final int MEMORY_BYTES = 32;
    }
}
