import io.gputide.Policy;
import io.gputide.State;

/**
 * The nanoseconds of one State.desired with one number, all memory reused, and of one State.decide, which makes a Decision; each the best
 * of many rounds: what decide.c measures, from Java.
 */
final class Decide {
    private static final String MANIFEST = "{\"apiVersion\":\"keda.sh/v1alpha1\",\"kind\":\"ScaledObject\",\"metadata\":{\"name\":\"demo\"},"
            + "\"spec\":{\"scaleTargetRef\":{\"name\":\"demo\"},\"minReplicaCount\":1,\"maxReplicaCount\":20,"
            + "\"triggers\":[{\"type\":\"values\",\"metadata\":{\"threshold\":\"5\",\"activationThreshold\":\"2\"}}]}}";
    private static final int ROUNDS = 1000;
    private static final int CALLS = 1000;

    private static long sizes; // looked at, so that no call is left out

    private Decide() {}

    /** One call for this time and this number. */
    interface Call {
        int of(long nowMs, double value);
    }

    private static long best(Call call) {
        double best = Double.MAX_VALUE;
        long now = 1_795_255_200_000L;
        for (int round = 0; round < ROUNDS; round++) {
            long start = System.nanoTime();
            for (int index = 0; index < CALLS; index++, now += 15_000) {
                sizes += call.of(now, 10 + index % 7);
            }
            best = Math.min(best, (System.nanoTime() - start) / (double) CALLS);
        }
        return Math.round(best);
    }

    public static void main(String[] arguments) {
        try (Policy policy = Policy.open(MANIFEST);
                State state = policy.newState();
                State other = policy.newState()) {
            long reused = best((now, value) -> state.desired(now, 3, value));
            long made = best((now, value) -> other.decide(now, 3, value).desired());
            if (sizes == 0) {
                throw new AssertionError("nothing was decided");
            }
            System.out.println(reused + " " + made);
        }
    }
}
