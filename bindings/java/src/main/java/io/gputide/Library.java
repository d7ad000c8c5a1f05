package io.gputide;

import java.nio.file.Path;

/** Opens libgputide-full.so.1 through the shim, once per process and not before it is needed. */
final class Library {
    private static volatile boolean open;

    private Library() {}

    /**
     * If it is not open: by GPUTIDE_LIBRARY, the file in the jar, the system's search.
     *
     * @throws UnsatisfiedLinkError no usable library; the message has what was wanted, each place that was tried and the remedy
     */
    static void open() {
        if (!open) {
            open(null);
        }
    }

    /** This file and no other; an error where another one is open already. */
    static synchronized void open(Path path) {
        if (open && path == null) {
            return;
        }
        NativeFiles files = NativeFiles.found();
        byte[] wanted = path == null ? null : Texts.terminated(path.toAbsolutePath().toString(), "path");
        byte[] bundled = files.library().map(file -> Texts.encoded(file.toString())).orElse(null);
        byte[] problem = openNative(wanted, bundled);
        if (problem != null) {
            throw new UnsatisfiedLinkError(Texts.decoded(problem));
        }
        open = true;
    }

    /** The file that the C functions come from. */
    static Path path() {
        open();
        return Path.of(Texts.decoded(pathNative()));
    }

    /** Null: the library is open; else why not. */
    private static native byte[] openNative(byte[] path, byte[] bundled);

    private static native byte[] pathNative();
}
