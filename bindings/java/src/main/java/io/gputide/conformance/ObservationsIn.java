package io.gputide.conformance;

import io.gputide.Observation;
import io.gputide.Pod;
import io.gputide.PodPhase;
import io.gputide.PodSample;
import io.gputide.Readiness;
import io.gputide.Sample;
import io.gputide.SampleState;
import io.gputide.Status;
import io.gputide.UsageSample;
import java.util.List;
import java.util.Map;

/** What protocol 1 says was seen: samples, a target with its pods, the use of GPUs. */
final class ObservationsIn {
    // GPUTIDE_SEEN_STATUS and so on
    private static final long SEEN_STATUS = 1;
    private static final long SEEN_READY = 2;
    private static final long SCALE_UNREADABLE = 4;
    private static final long SEEN_PODS = 8;

    private static final long USAGE_BUSY = 1;
    private static final long USAGE_MEMORY = 2;
    private static final long USAGE_OOM = 4;

    private ObservationsIn() {}

    private static boolean isFlagged(Map<String, Object> given, long flag) {
        return (Values.number(given, "flags") & flag) != 0;
    }

    static List<Sample> samples(List<Object> given) {
        return Values.each(given, ObservationsIn::sample);
    }

    private static Sample sample(Map<String, Object> one) {
        boolean hasValue = one.containsKey("value");
        SampleState usual = hasValue ? SampleState.OK : SampleState.NOT_GIVEN;
        return (hasValue ? Sample.of(Values.real(one.get("value"))) : Sample.notGiven())
                .in(one.containsKey("state") ? SampleState.of(Values.small(one, "state")) : usual)
                .because(Status.of(Values.small(one, "status")), (String) one.get("message"))
                .at(Values.time(one, "time_ms"))
                .nullAsZero(Values.number(one, "flags") != 0);
    }

    static Observation observation(Map<String, Object> given) {
        Observation seen = isFlagged(given, SCALE_UNREADABLE)
                ? Observation.unreadable()
                : Observation.of(Values.small(given, "current_replicas"));
        seen = seen.at(Values.time(given, "now_ms")).samples(Values.each(given, "samples", ObservationsIn::sample));
        int statusReplicas = Values.small(given, "status_replicas");
        if (statusReplicas != 0 || isFlagged(given, SEEN_STATUS)) {
            seen = seen.statusReplicas(statusReplicas);
        }
        int readyReplicas = Values.small(given, "ready_replicas");
        if (readyReplicas != 0 || isFlagged(given, SEEN_READY)) {
            seen = seen.readyReplicas(readyReplicas);
        }
        seen = seen.because((String) given.get("message"));
        List<Pod> pods = Values.each(given, "pods", ObservationsIn::pod);
        List<PodSample> samples = Values.each(given, "pod_samples", ObservationsIn::podSample);
        boolean isListed = isFlagged(given, SEEN_PODS) || !pods.isEmpty() || !samples.isEmpty();
        return isListed ? seen.pods(pods, samples) : seen;
    }

    private static Pod pod(Map<String, Object> one) {
        return Pod.of((String) one.get("name"))
                .phase(PodPhase.of(Values.small(one, "phase")))
                .ready(Readiness.of(Values.small(one, "ready")))
                .deleting(Values.number(one, "deleting") != 0)
                .startTime(Values.time(one, "start_time_ms"))
                .readyChangeTime(Values.time(one, "ready_change_time_ms"));
    }

    private static PodSample podSample(Map<String, Object> one) {
        return PodSample.of(Values.small(one, "metric"), Values.small(one, "pod"), Values.number(one, "value_milli"))
                .request(Values.number(one, "request_milli"))
                .at(Values.time(one, "time_ms"))
                .windowSeconds(Values.small(one, "window_s"))
                .container((String) one.get("container"));
    }

    static List<UsageSample> usage(List<Object> given) {
        return Values.each(given, ObservationsIn::usageSample);
    }

    private static UsageSample usageSample(Map<String, Object> one) {
        UsageSample sample = UsageSample.of(
                Values.time(one, "time_ms"), Values.small(one, "container"), Values.small(one, "unit"));
        if (isFlagged(one, USAGE_OOM)) {
            return sample.outOfMemory(Values.number(one, "memory_bytes"));
        }
        if (isFlagged(one, USAGE_BUSY)) {
            sample = sample.busy(Values.real(one.getOrDefault("busy", 0.0)));
        }
        return isFlagged(one, USAGE_MEMORY) ? sample.memory(Values.number(one, "memory_bytes")) : sample;
    }
}
