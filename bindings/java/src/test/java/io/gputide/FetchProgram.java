package io.gputide;

import java.time.Duration;

/** One value from an address, with roots of its own.  Prints it. */
final class FetchProgram {
    private FetchProgram() {}

    public static void main(String[] arguments) throws InterruptedException {
        Options options = Options.create().caFile(arguments[1]);
        try (Source source = Source.open(Support.prometheusTrigger(arguments[0]), options)) {
            System.out.println(source.fetch(null, Duration.ofSeconds(20)).value().getAsDouble());
        }
    }
}
