package io.gputide;

import java.nio.file.Path;

/** Uses what needs no library, then opens one: by the places, or the path that is given.  Prints both. */
final class OpeningProgram {
    private OpeningProgram() {}

    public static void main(String[] arguments) {
        System.out.println("loaded " + Limit.MIN.number());
        if (arguments.length > 0) {
            Gputide.load(Path.of(arguments[0]));
        }
        System.out.println(Gputide.version());
    }
}
