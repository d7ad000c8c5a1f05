// A decision from plain numbers: no file, no network, no clock.  GPU utilization 42.5 % on 3 replicas, threshold 5.
//   java -cp gputide.jar NumbersAlone.java
import io.gputide.Decision;
import io.gputide.Observation;
import io.gputide.Policy;
import io.gputide.State;
import java.time.Instant;

class NumbersAlone {
    private static final String MANIFEST = """
            apiVersion: keda.sh/v1alpha1
            kind: ScaledObject
            metadata: {name: demo}
            spec:
              scaleTargetRef: {name: demo}
              minReplicaCount: 1
              maxReplicaCount: 20
              triggers:
                - type: values
                  metadata: {threshold: "5", activationThreshold: "2"}
            """;

    public static void main(String[] arguments) {
        Instant now = Instant.parse("2026-11-21T00:00:00Z");
        int replicas = 3;
        try (Policy policy = Policy.open(MANIFEST);
                State state = policy.newState(now)) {
            for (double utilization : new double[] {42.5, 42.5, 21.0, 4.0}) {
                Decision decision = state.decide(Observation.of(replicas).at(now).values(utilization).withReport());
                System.out.printf("%d -> %d, proposed %d, limited by %s%n",
                        decision.current(), decision.desired(), decision.proposed(), decision.limitedBy());
                if (decision.wantsWrite()) {
                    replicas = decision.desired();
                    state.record(decision, true, now);
                } else {
                    System.out.println(decision.explain());
                }
                now = now.plusSeconds(15);
            }
        }
    }
}
