package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Sections 6 and 7: numbers to decisions. */
final class DecideTest {
    private static final String HPA = """
            apiVersion: autoscaling/v2
            kind: HorizontalPodAutoscaler
            metadata: {name: web}
            spec:
              scaleTargetRef: {kind: Deployment, name: web}
              maxReplicas: 10
              metrics:
                - type: Resource
                  resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}
            """;

    private static Observation observation(double value) {
        return Observation.of(3).at(Support.NOW).values(value);
    }

    @Test
    void thePolicyOfNumbersCGoesFrom3To6() {
        try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState()) {
            Decision decision = state.decide(observation(42.5));
            assertEquals(List.of(3, 6, 9), List.of(decision.current(), decision.desired(), decision.proposed()));
            assertTrue(decision.limitedBy() == Limit.SCALE_UP);
            assertEquals("scale_up_limit", decision.limitedBy().toString());
            assertTrue(decision.wantsWrite() && decision.isActive() && decision.isByHpa() && decision.isByExecutor());
            assertFalse(decision.isFailed());
            assertEquals(Support.NOW, decision.now());
            assertEquals(Support.NOW.plusSeconds(15), decision.nextDue());
            assertEquals(List.of(0, -1), List.of(decision.winner(), decision.failedMetric()));
            assertEquals(Optional.of(DecisionSource.HPA), decision.source());
            assertEquals(Optional.empty(), decision.report());
            assertEquals("", decision.explain());
        }
    }

    @Test
    void numbersSamplesAndObservationsDecideAlike() {
        List<Function<State, Decision>> ways = List.of(
                state -> state.decide(Support.NOW_MS, 3, 42.5),
                state -> state.decide(observation(42.5)),
                state -> state.decide(Observation.of(3).at(Support.NOW).samples(List.of(Sample.of(42.5)))),
                state -> state.decide(observation(42.5).withReport()));
        try (Policy policy = Policy.open(Support.scaledObject())) {
            for (Function<State, Decision> way : ways) {
                try (State state = policy.newState()) {
                    Decision decision = way.apply(state);
                    assertEquals(List.of(6, 9), List.of(decision.desired(), decision.proposed()));
                    assertEquals(Limit.SCALE_UP, decision.limitedBy());
                }
            }
        }
    }

    @Test
    void loopsTakeTheSizeAndTheLastDecision() {
        try (Policy policy = Policy.open(Support.scaledObject());
                State state = policy.newState();
                State other = policy.newState()) {
            assertEquals(Optional.empty(), state.last());
            assertEquals(6, state.desired(Support.NOW_MS, 3, 42.5));
            Decision last = state.last().orElseThrow();
            Decision same = other.decide(Support.NOW_MS, 3, 42.5);
            assertEquals(same.conditions(), last.conditions());
            assertEquals(List.of(6, 9), List.of(last.desired(), last.proposed()));
            assertThrows(GputideException.Invalid.class, () -> state.desired(Support.NOW_MS, 3));
            assertEquals(last, state.last().orElseThrow()); // one that failed has changed nothing
            state.record(last, true, Support.NOW);
        }
    }

    @Test
    void aMetricWithoutANumberFails() {
        Sample failed = Sample.failed(SampleState.TIMEOUT, Status.TIMEOUT, "no answer");
        try (Policy policy = Policy.open(Support.scaledObject())) {
            for (Sample sample : List.of(Sample.of(Double.NaN), Sample.of(Double.POSITIVE_INFINITY), failed)) {
                try (State state = policy.newState()) {
                    Decision decision =
                            state.decide(Observation.of(3).at(Support.NOW).samples(List.of(sample)).withReport());
                    assertEquals(List.of(3, 0), List.of(decision.desired(), decision.failedMetric()));
                    assertTrue(decision.isFailed());
                    JsonText report = decision.report().orElseThrow();
                    assertEquals(3L, report.object().get("desired_replicas"));
                    assertEquals(sample == failed, report.toString().contains("no answer"));
                }
            }
            try (State state = policy.newState()) {
                assertTrue(state.decide(Support.NOW_MS, 3, Double.NaN).isFailed());
            }
        }
    }

    @Test
    void podsWithTheirRequests() {
        Instant hourAgo = Support.NOW.minus(Duration.ofHours(1));
        List<Pod> pods = List.of(Pod.of("web-0").startTime(hourAgo), Pod.of("web-1").startTime(hourAgo));
        List<PodSample> usage = List.of(PodSample.of(0, 1, 90).request(100), PodSample.of(0, 2, 90).request(100));
        try (Policy policy = Policy.open(HPA); State state = policy.newState()) {
            Decision decision =
                    state.decide(Observation.of(2).at(Support.NOW).pods(pods, usage).withReport());
            assertEquals(List.of(4, 4), List.of(decision.proposed(), decision.desired()));
            assertTrue(decision.explain().contains("90 %"));
        }
    }

    @Test
    void manyPodsDoNotFitTheFrameAndGoThroughWhole() {
        List<Pod> pods = new java.util.ArrayList<>();
        List<PodSample> usage = new java.util.ArrayList<>();
        for (int pod = 1; pod <= 2000; pod++) {
            pods.add(Pod.of("web-" + pod).startTime(Support.NOW.minus(Duration.ofHours(1))));
            usage.add(PodSample.of(0, pod, 50).request(100));
        }
        try (Policy policy = Policy.open(HPA.replace("maxReplicas: 10", "maxReplicas: 5000")); State state = policy.newState()) {
            assertEquals(2000, state.decide(Observation.of(2000).at(Support.NOW).pods(pods, usage)).desired());
        }
    }

    @Test
    void recordsGiveTheDecisionAsItIsNowAndAreTakenOnce() {
        try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState()) {
            Decision decision = state.decide(observation(42.5));
            Decision recorded = state.record(decision, true, Support.NOW);
            assertEquals("ReadyForNewScale", decision.conditions().get(Condition.ABLE_TO_SCALE).reason().toString());
            ConditionState able = recorded.conditions().get(Condition.ABLE_TO_SCALE);
            assertEquals(new ConditionState(Truth.TRUE, able.reason(), Optional.of(Support.NOW)), able);
            assertEquals("SucceededRescale", able.reason().toString());
            assertNotEquals(decision, recorded);
            GputideException.WrongState twice = assertThrows(
                    GputideException.WrongState.class, () -> state.record(decision, true, Support.NOW));
            assertEquals("E_STATE", twice.status().toString());
        }
    }

    @Test
    void statesAreSavedAndLoaded() {
        try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState(Support.NOW)) {
            state.decide(observation(42.5));
            try (State loaded = policy.loadState(state.save());
                    State lookedAt = policy.loadDescribedState(state.describe().toString())) {
                assertEquals(state.describe().value(), lookedAt.describe().value());
                int desired = state.decide(Support.NOW_MS + 30_000, 6, 1).desired();
                assertEquals(desired, loaded.decide(Support.NOW_MS + 30_000, 6, 1).desired());
            }
            assertThrows(GputideException.WrongState.class, () -> policy.loadState("not a state"));
            assertEquals(List.of("s0-values"), policy.metrics());
        }
    }

    @Test
    void aStateDecidesAfterItsPolicyIsClosed() {
        Policy policy = Policy.open(Support.scaledObject());
        try (State state = policy.newState()) {
            policy.close();
            assertEquals(6, state.decide(observation(42.5)).desired());
            assertThrows(IllegalStateException.class, policy::describe);
        }
    }

    @Test
    void aDecisionIsAValueThatOutlivesItsProcess() throws Exception {
        try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState()) {
            Decision decision = state.decide(observation(42.5).withReport());
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(decision);
                out.writeObject(decision.limitedBy());
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                Decision again = (Decision) in.readObject();
                assertEquals(decision, again);
                assertEquals(decision.report(), again.report());
                assertTrue(in.readObject() == Limit.SCALE_UP);
                state.record(again, true, Support.NOW);
            }
        }
    }

    @Test
    void whatDoesNotFitIsTheLibrarysToRefuse() {
        try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState()) {
            assertThrows(GputideException.Invalid.class, () -> state.decide(Support.NOW_MS, 3, 1, 2));
            assertThrows(GputideException.Invalid.class, () -> state.decide(Support.NOW_MS, 3));
            assertThrows(GputideException.Invalid.class, () -> state.decide(0, 3, 1));
            assertThrows(GputideException.Invalid.class, () -> state.decide(Observation.of(3).at(Instant.EPOCH).values(1)));
            assertThrows(GputideException.Invalid.class, () -> state.decide(Observation.of(-1).values(1)));
        }
    }

    @Test
    void numbersOfANewerLibraryStayNumbers() {
        assertEquals(99, Limit.of(99).number());
        assertEquals("UNKNOWN_99", Limit.of(99).name());
        assertEquals("unknown", Limit.of(99).toString());
        assertEquals(Limit.of(99), Limit.of(99));
        assertNotEquals(Limit.of(99), Status.of(99));
        assertEquals("info", LogLevel.INFO.toString());
        assertEquals(15, Limit.values().size());
    }
}
