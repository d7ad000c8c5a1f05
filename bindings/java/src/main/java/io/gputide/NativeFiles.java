package io.gputide;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The shim and the library of this machine's platform.  In a jar they lie below native/ and are unpacked to a folder that is named by
 * their checksum, so that releases never meet; out of a folder of classes they are taken where they are.
 */
final class NativeFiles {
    private static final String SHIM = "libgputide_jni.so";
    private static final String LIBRARY = "libgputide-full.so." + Abi.ABI_VERSION;

    private static NativeFiles found;

    private final Path library;

    private NativeFiles(Path library) {
        this.library = library;
    }

    /** The library that came with this package, where one did. */
    Optional<Path> library() {
        return Optional.ofNullable(library);
    }

    /** Loads the shim the first time. */
    static synchronized NativeFiles found() {
        if (found == null) {
            String folder = "/native/" + platform() + "/";
            URL shim = NativeFiles.class.getResource(folder + SHIM);
            if (shim == null) {
                throw new UnsatisfiedLinkError("gputide: this package has no " + folder.substring(1) + SHIM
                        + ": build it with `mvn package` in bindings/java, or use the jar for this platform");
            }
            Path library = file(NativeFiles.class.getResource(folder + LIBRARY));
            load(file(shim));
            found = new NativeFiles(library);
        }
        return found;
    }

    /** linux-x86_64, linux-aarch64-musl. */
    static String platform() {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch", "");
        if (!system.equals("linux") || !"64".equals(System.getProperty("sun.arch.data.model", "64"))) {
            throw new UnsatisfiedLinkError("gputide runs on 64-bit Linux alone; this is " + system + " on " + machine);
        }
        return "linux-" + (machine.equals("amd64") ? "x86_64" : machine) + (isMusl() ? "-musl" : "");
    }

    private static boolean isMusl() {
        try {
            return Files.readString(Path.of("/proc/self/maps")).contains("/ld-musl-");
        } catch (IOException unreadable) {
            return false;
        }
    }

    private static void load(Path file) {
        try {
            System.load(file.toString());
        } catch (UnsatisfiedLinkError problem) {
            if (isInAnotherLoader(problem)) {
                loadCopy(file);
                return;
            }
            throw linkError("gputide: " + file + " cannot be loaded (" + problem.getMessage() + "). Where its file system is mounted"
                    + " noexec, name another folder with -Dgputide.native.dir=FOLDER", problem);
        }
    }

    /** A JVM loads one file for one class loader alone: two web applications, or one after its redeployment. */
    private static boolean isInAnotherLoader(UnsatisfiedLinkError problem) {
        return String.valueOf(problem.getMessage()).contains("already loaded in another classloader");
    }

    /** Loads a copy of the shim under a name of its own, which this class loader shares with no other; the library below is shared. */
    private static void loadCopy(Path shim) {
        try {
            Path copy = unpacked("libgputide_jni-" + UUID.randomUUID() + ".so", Files.readAllBytes(shim));
            try {
                System.load(copy.toString());
            } finally {
                Files.deleteIfExists(copy);
            }
        } catch (IOException | UnsatisfiedLinkError problem) {
            throw linkError("gputide: another class loader of this JVM has loaded " + shim + ", and a copy of it cannot be loaded ("
                    + problem.getMessage() + "). Name a folder for it with -Dgputide.native.dir=FOLDER, or load gputide once, by a"
                    + " class loader that both have as a parent", problem);
        }
    }

    /** Null for null. */
    private static Path file(URL resource) {
        if (resource == null) {
            return null;
        }
        if (resource.getProtocol().equals("file")) {
            return Path.of(URI.create(resource.toString()));
        }
        try (InputStream stream = resource.openStream()) {
            String path = resource.getPath();
            return unpacked(path.substring(path.lastIndexOf('/') + 1), stream.readAllBytes());
        } catch (IOException problem) {
            throw linkError("gputide: " + resource + " cannot be read", problem);
        }
    }

    private static Path unpacked(String name, byte[] bytes) {
        List<String> tried = new ArrayList<>();
        for (Path root : folders()) {
            try {
                return unpacked(root.resolve(checksum(bytes)), name, bytes);
            } catch (IOException problem) {
                tried.add("  " + root + "   " + problem);
            }
        }
        throw new UnsatisfiedLinkError("gputide: no folder to unpack " + name + " to. Tried:\n" + String.join("\n", tried)
                + "\nName one that can be written to with -Dgputide.native.dir=FOLDER");
    }

    /** One that was named is final. */
    private static List<Path> folders() {
        String named = System.getProperty("gputide.native.dir");
        if (named != null) {
            return List.of(Path.of(named).toAbsolutePath());
        }
        List<Path> folders = new ArrayList<>();
        String cache = System.getenv("XDG_CACHE_HOME");
        String home = System.getProperty("user.home", "");
        if (cache != null && cache.startsWith("/")) {
            folders.add(Path.of(cache, "gputide"));
        } else if (home.startsWith("/")) {
            folders.add(Path.of(home, ".cache", "gputide"));
        }
        folders.add(Path.of(System.getProperty("java.io.tmpdir", "/tmp"), "gputide-" + System.getProperty("user.name", "user")));
        return folders;
    }

    /** A file of the same bytes that is there already is taken; another process may be unpacking the same one now. */
    private static Path unpacked(Path folder, String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(folder.getParent());
        if (!Files.isDirectory(folder)) {
            try {
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException another) {
                // it is there, which is what was wanted
            }
        }
        if (!isSafe(folder)) {
            throw new IOException(folder + " can be written to by others; it belongs to " + Files.getOwner(folder));
        }
        if (Files.isRegularFile(file) && Arrays.equals(Files.readAllBytes(file), bytes)) {
            return file;
        }
        Path part = Files.createTempFile(folder, name, ".part");
        try {
            Files.write(part, bytes);
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString("rwx------"));
            moved(part, file);
        } finally {
            Files.deleteIfExists(part);
        }
        return file;
    }

    /** Only this user and root can put another file into it. */
    private static boolean isSafe(Path folder) throws IOException {
        Object owner = Files.getAttribute(folder, "unix:uid");
        Set<PosixFilePermission> may = Files.getPosixFilePermissions(folder);
        return (owner.equals(0) || owner.equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid")))
                && !may.contains(PosixFilePermission.GROUP_WRITE)
                && !may.contains(PosixFilePermission.OTHERS_WRITE);
    }

    private static void moved(Path part, Path file) throws IOException {
        try {
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException elsewhere) {
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String checksum(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 16);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // every Java has it
        }
    }

    private static UnsatisfiedLinkError linkError(String message, Throwable cause) {
        UnsatisfiedLinkError error = new UnsatisfiedLinkError(message);
        error.initCause(cause);
        return error;
    }
}
