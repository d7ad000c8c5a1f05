package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** wrong_abi, missing: which library is opened, and what is said where none can be; each mirror against abi.json. */
final class LoadingTest {
    private static final String OPENS = "io.gputide.Programs$Opening";

    @TempDir
    Path folder;

    /** A library that says of itself what it is told to. */
    private Path stub(String name, int abi, int release) throws Exception {
        Path path = folder.resolve(name);
        String compiler = Objects.requireNonNullElse(System.getenv("CC"), "cc");
        Path source = Support.folder().resolve("../../tests/bindings/stub.c");
        Support.Outcome done = Support.run(List.of(compiler, "-shared", "-fPIC", "-DABI=" + abi, "-DRELEASE=" + release, "-o",
                path.toString(), source.toString()), Map.of());
        assertEquals(0, done.status(), done.err());
        return path;
    }

    @Test
    void wrongAbiAndOtherWrongLibrariesAreNamedWithTheRemedy() throws Exception {
        Map<String, int[]> wrong = new LinkedHashMap<>();
        wrong.put("ABI 99: a newer release", new int[] {99, 99_000_000});
        wrong.put("ABI 0: an older release", new int[] {0, 1_000});
        wrong.put("release 0.1.7: too old", new int[] {1, 1_007});
        wrong.put("release 0.3.0 is incomplete", new int[] {1, 3_000});
        for (Map.Entry<String, int[]> entry : wrong.entrySet()) {
            Path path = stub("libgputide-" + entry.getValue()[0] + "-" + entry.getValue()[1] + ".so", entry.getValue()[0], entry.getValue()[1]);
            Support.Outcome done = Support.java(List.of(), Map.of("GPUTIDE_LIBRARY", path.toString()), OPENS);
            assertNotEquals(0, done.status());
            contains(done.err(), "UnsatisfiedLinkError: gputide: no usable libgputide-full.so.1 for ABI 1, release 0.3.0 or newer. Tried:");
            contains(done.err(), "GPUTIDE_LIBRARY=" + path + "   " + entry.getKey());
            contains(done.err(), "Install Debian's libgputide-full1, or set GPUTIDE_LIBRARY");
        }
    }

    @Test
    void wrongAbiWordsForALibraryThatIsNoGputide() throws Exception {
        String shim = NativeFiles.found().getClass().getResource("/native/" + NativeFiles.platform() + "/libgputide_jni.so").getPath();
        Support.Outcome done = Support.java(List.of(), Map.of("GPUTIDE_LIBRARY", shim), OPENS);
        contains(done.err(), "not a libgputide: it has no gputide_abi_version");
    }

    @Test
    void missingLibrariesAreListedPlaceByPlace() throws Exception {
        Support.Outcome done = Support.javaWith(withoutLibrary(), List.of(), Map.of("GPUTIDE_LIBRARY", ""), OPENS);
        assertEquals("loaded 5\n", done.out()); // a class that needs no library works without one
        assertNotEquals(0, done.status());
        contains(done.err(), "libgputide-full.so.1 (the system's search)   libgputide-full.so.1: cannot open");
    }

    @Test
    void missingFilesThatWereNamedAreFinal() throws Exception {
        String nowhere = "/nonexistent/libgputide-full.so.1";
        for (boolean byVariable : List.of(true, false)) {
            Support.Outcome done = byVariable
                    ? Support.java(List.of(), Map.of("GPUTIDE_LIBRARY", nowhere), OPENS)
                    : Support.java(List.of(), Map.of(), OPENS, nowhere);
            contains(done.err(), nowhere + "   there is no such file");
            assertFalse(done.err().contains("the system's search"));
        }
    }

    @Test
    void loadTakesTheFileThatIsOpenAlreadyAndNoOther() throws Exception {
        Gputide.load(Gputide.libraryPath());
        Path other = Files.createFile(folder.resolve("other.so"));
        UnsatisfiedLinkError refused =
                org.junit.jupiter.api.Assertions.assertThrows(UnsatisfiedLinkError.class, () -> Gputide.load(other));
        contains(refused.getMessage(), "is open already");
    }

    /** The classes of this package as a jar, with the shim and a library inside. */
    @Test
    void aJarUnpacksItsFilesOnceToAFolderOfItsOwn() throws Exception {
        Path jar = folder.resolve("gputide.jar");
        Path cache = folder.resolve("cache");
        writeJar(jar, Gputide.libraryPath());
        String path = jar + File.pathSeparator + testClasses();
        List<String> options = List.of("-Dgputide.native.dir=" + cache);
        for (int round = 0; round < 2; round++) {
            Support.Outcome done = Support.javaWith(path, options, Map.of("GPUTIDE_LIBRARY", ""), OPENS);
            assertEquals("loaded 5\n" + Gputide.version() + "\n", done.out(), done.err());
        }
        try (var files = Files.walk(cache)) {
            assertEquals(List.of("libgputide-full.so.1", "libgputide_jni.so"),
                    files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).sorted().toList());
        }
        try (var folders = Files.list(cache)) {
            for (Path each : folders.toList()) {
                assertEquals("rwx------", java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(each)));
            }
        }
        try (var folders = Files.list(cache)) {
            for (Path each : folders.toList()) {
                Files.setPosixFilePermissions(each, java.nio.file.attribute.PosixFilePermissions.fromString("rwxrwxrwx"));
            }
        }
        contains(Support.javaWith(path, options, Map.of(), OPENS).err(), "can be written to by others");
        Support.Outcome nowhere = Support.javaWith(path, List.of("-Dgputide.native.dir=/proc/nowhere"), Map.of(), OPENS);
        contains(nowhere.err(), "-Dgputide.native.dir=FOLDER");
    }

    /** Two web applications of one server, or one and its redeployment: each class loader has classes and a shim of its own. */
    @Test
    void aSecondClassLoaderOfOneJvmWorks() throws Exception {
        Path jar = folder.resolve("gputide.jar");
        Path cache = folder.resolve("cache");
        writeJar(jar, Gputide.libraryPath());
        String path = jar + File.pathSeparator + testClasses();
        Support.Outcome done = Support.javaWith(testClasses().toString(), List.of("-Dgputide.native.dir=" + cache), Map.of("GPUTIDE_LIBRARY", ""),
                "io.gputide.Programs$Loaders", path);
        assertEquals("0: 3 -> 6\n1: 3 -> 6\n2: 3 -> 6\n", done.out(), done.err());
        assertEquals(0, done.status(), done.err());
        try (var files = Files.walk(cache)) {
            assertEquals(2, files.filter(Files::isRegularFile).count(), "the copies of the shim are gone");
        }
    }

    private void writeJar(Path jar, Path library) throws IOException {
        Path classes = mainClasses();
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); var files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.getFileName().toString().startsWith("libgputide-full.so")) {
                    put(out, classes.relativize(file).toString(), file);
                }
            }
            put(out, "native/" + NativeFiles.platform() + "/libgputide-full.so.1", library);
        }
    }

    private static void put(JarOutputStream out, String name, Path file) throws IOException {
        out.putNextEntry(new JarEntry(name));
        Files.copy(file, out);
        out.closeEntry();
    }

    private static Path mainClasses() {
        return Path.of(Gputide.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    private static Path testClasses() {
        return Path.of(LoadingTest.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    }

    /** A copy of the classes without the library that `mvn package` puts beside them. */
    private String withoutLibrary() throws IOException {
        Path copy = folder.resolve("classes");
        Path classes = mainClasses();
        try (var files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!file.getFileName().toString().startsWith("libgputide-full.so")) {
                    Path to = copy.resolve(classes.relativize(file).toString());
                    Files.createDirectories(to.getParent());
                    Files.copy(file, to);
                }
            }
        }
        return copy + File.pathSeparator + testClasses();
    }

    @Test
    void theVersionIsOne() throws IOException {
        String project = Files.readString(Support.folder().resolve("pom.xml"));
        contains(project, "<version>" + Gputide.version() + "</version>");
        assertEquals(Gputide.version(), Abi.VERSION_MAJOR + "." + Abi.VERSION_MINOR + "." + Abi.VERSION_PATCH);
        assertTrue(Gputide.features().contains(Gputide.Feature.YAML));
        contains(Gputide.buildInfo().toString(), "compiler");
    }

    @Test
    void eachMirrorLiesAsAbiJsonSays() throws Exception {
        Map<String, Object> abi = JsonText.of(Files.readString(Support.folder().resolve("../abi.json"))).object();
        int compared = 0;
        for (Object each : (List<?>) abi.get("structs")) {
            Map<?, ?> struct = (Map<?, ?>) each;
            List<?> members = (List<?>) struct.get("members");
            if (members.stream().anyMatch(member -> ((Map<?, ?>) member).containsKey("callback"))) {
                continue; // what Java cannot make has no mirror
            }
            Class<?> mirror = Class.forName("io.gputide.Abi$" + camel(struct.get("name").toString().substring("gputide_".length())));
            assertEquals(((Number) struct.get("size_bytes")).intValue(), constant(mirror, "SIZE"), mirror.getName());
            for (Object entry : members) {
                Map<?, ?> member = (Map<?, ?>) entry;
                String name = member.get("name").toString().toUpperCase(java.util.Locale.ROOT);
                assertEquals(((Number) member.get("offset_bytes")).intValue(), constant(mirror, name), mirror + " " + name);
                compared++;
            }
        }
        assertTrue(compared > 100, "members compared: " + compared);
    }

    @Test
    void everyEnumAndEveryNumberIsThere() throws Exception {
        Map<String, Object> abi = JsonText.of(Files.readString(Support.folder().resolve("../abi.json"))).object();
        for (Object each : (List<?>) abi.get("enums")) {
            Map<?, ?> kind = (Map<?, ?>) each;
            for (Object entry : (List<?>) kind.get("members")) {
                Map<?, ?> member = (Map<?, ?>) entry;
                int value = ((Number) member.get("value")).intValue();
                if (Boolean.TRUE.equals(kind.get("flags"))) {
                    assertEquals(value, constant(Abi.class, member.get("name").toString().substring("GPUTIDE_".length())));
                } else {
                    Class<?> type = Class.forName("io.gputide." + camel(kind.get("name").toString()));
                    Numbered here = (Numbered) type.getField(member.get("short").toString()).get(null);
                    assertEquals(value, here.number());
                    assertTrue(here == type.getMethod("of", int.class).invoke(null, value));
                }
            }
        }
    }

    private static int constant(Class<?> owner, String name) throws ReflectiveOperationException {
        var field = owner.getDeclaredField(name);
        field.setAccessible(true);
        return field.getInt(null);
    }

    private static String camel(String name) {
        StringBuilder out = new StringBuilder();
        for (String part : name.split("_")) {
            out.append(part.substring(0, 1).toUpperCase(java.util.Locale.ROOT)).append(part.substring(1));
        }
        return out.toString();
    }

    private static void contains(String text, String part) {
        assertTrue(text.contains(part), () -> "no \"" + part + "\" in: " + text);
    }
}
