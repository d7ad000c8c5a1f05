package io.gputide.conformance;

import io.gputide.Gputide;
import io.gputide.JsonText;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One line in, one line out, until the input ends. */
final class Main {
    private final PrintStream out =
            new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    private Main() {}

    public static void main(String[] arguments) throws IOException {
        new Main().serve();
    }

    private void serve() throws IOException {
        say(hello());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            say(new Case(JsonText.of(line).object()).answer());
        }
    }

    private static Map<String, Object> hello() {
        Map<String, Object> hello = new TreeMap<>();
        hello.put("door", 1);
        hello.put("binding", "java");
        hello.put("version", Gputide.version());
        hello.put("abi", Gputide.ABI_VERSION);
        hello.put("library", Gputide.libraryPath().toString());
        hello.put("calls", List.copyOf(Calls.ALL.keySet()));
        return hello;
    }

    private void say(Map<String, Object> answer) {
        out.print(JsonOut.of(answer) + "\n");
        out.flush();
    }
}
