package io.gputide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** Opens and closes each kind of handle so often as is said; prints how many KiB that took. */
final class LeakProgram {
    private LeakProgram() {}

    public static void main(String[] arguments) throws IOException {
        int rounds = Integer.parseInt(arguments[0]);
        for (var opener : Openers.ALL.entrySet()) {
            System.out.println(opener.getKey() + " " + growth(rounds, () -> opener.getValue().get().close()));
        }
        System.out.println("failed " + growth(rounds / 4, LeakProgram::fail));
        System.out.println("alive " + Gputide.alive());
    }

    private static long growth(int rounds, Runnable round) throws IOException {
        for (int index = 0; index < rounds / 2; index++) {
            round.run();
        }
        long before = residentKib();
        for (int index = 0; index < rounds; index++) {
            round.run();
        }
        return residentKib() - before;
    }

    private static void fail() {
        String wrong = "kind: nothing of this kind";
        List<Supplier<Handle>> openings = List.of(
                () -> Policy.open(wrong), () -> Scaler.open(wrong), () -> Source.open(wrong), () -> Credential.open(wrong),
                () -> Replay.open(wrong), () -> Forecast.open(wrong));
        for (Supplier<Handle> opening : openings) {
            try (Handle handle = opening.get()) {
                throw new AssertionError("opened: " + handle);
            } catch (GputideException expected) {
                // as it should be
            }
        }
    }

    private static long residentKib() throws IOException {
        System.gc();
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IOException("no VmRSS");
    }
}
