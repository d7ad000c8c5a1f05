package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** short, and the other examples: they run as a reader would run them. */
final class ExamplesTest {
    private static final Path EXAMPLES = Support.folder().resolve("examples");

    @TempDir
    Path folder;

    private static List<String> run(String name, String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = EXAMPLES.resolve(name).toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Support.Outcome done = Support.java(List.of(), Map.of(), command);
        assertEquals(0, done.status(), done.out() + done.err());
        return done.out().lines().toList();
    }

    @Test
    void shortIsTheWayFromAManifestToADecision() throws Exception {
        long lines = Files.readAllLines(EXAMPLES.resolve("First.java")).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("//"))
                .count();
        assertTrue(lines <= 15, lines + " lines");
        try (Support.Prometheus prometheus = new Support.Prometheus(Map.of("load", 42.5))) {
            Path manifest = folder.resolve("so.json");
            Files.writeString(manifest, Support.scaledObject("demo", Support.prometheusTrigger(prometheus.address)));
            assertEquals(List.of("3 -> 6 scale_up_limit"), run("First.java", manifest.toString(), "3"));
        }
    }

    @Test
    void theReadmesFirstProgramIsThatOne() throws IOException {
        String program = Files.readString(EXAMPLES.resolve("First.java"));
        String body = program.substring(program.indexOf("import"));
        assertTrue(Files.readString(Support.folder().resolve("README.md")).contains(body), "README.md has another one");
    }

    @Test
    void numbersAlone() throws Exception {
        List<String> lines = run("NumbersAlone.java");
        assertEquals("3 -> 6, proposed 9, limited by scale_up_limit", lines.get(0));
        assertEquals("6 -> 9, proposed 9, limited by none", lines.get(1));
        assertTrue(lines.contains("Trace:"), lines.toString());
    }

    @Test
    void aFleet() throws Exception {
        Map<String, Double> queues = Map.of(
                "queue_length{model=\"chat\"}", 30.0, "queue_length{model=\"embed\"}", 9.0, "queue_length{model=\"rerank\"}", 2.0);
        try (Support.Prometheus prometheus = new Support.Prometheus(queues)) {
            List<String> lines = run("Fleet.java", prometheus.address, "4");
            assertTrue(lines.contains("default/chat now has 8 replicas"), lines.toString());
            assertTrue(lines.contains("default/embed now has 3 replicas"), lines.toString());
            assertFalse(lines.stream().anyMatch(line -> line.contains("rerank")));
        }
    }

    @Test
    void theRealUseFollowsItsLoadUpAndDown() throws Exception {
        List<String> lines = run("Serve.java", "10");
        assertTrue(lines.get(lines.size() - 1).matches("largest [3-5], at last 1"), lines.toString());
    }
}
