// A manifest to a decision.  The manifest's prometheus triggers are asked; the present size is given.
//   java -cp gputide.jar First.java MANIFEST REPLICAS
import io.gputide.*;
import java.nio.file.Path;
import java.time.Duration;

class First {
    public static void main(String[] arguments) throws Exception {
        try (Scaler scaler = Scaler.open(Path.of(arguments[0]), Options.create().allowEnvironment())) {
            Decision decision = scaler.tick(Observation.of(Integer.parseInt(arguments[1])), Duration.ofSeconds(5));
            System.out.println(decision.current() + " -> " + decision.desired() + " " + decision.limitedBy());
            if (decision.wantsWrite()) {
                scaler.record(decision, true); // here: write decision.desired() to the target, and record whether it succeeded
            }
        }
    }
}
