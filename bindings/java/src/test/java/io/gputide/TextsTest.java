package io.gputide;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** nul, big, unicode: what crosses as text. */
final class TextsTest {
    private static final String BEYOND_BMP = "\uD83D\uDE80\uD840\uDC00"; // a rocket and a CJK character

    @Test
    void nulInAManifestIsTheLibrarysToRefuse() {
        GputideException.Invalid refused =
                assertThrows(GputideException.Invalid.class, () -> Policy.open("kind: ScaledObject\nmetadata: {name: \0}"));
        assertTrue(refused.where().contains(":2"), refused.where());
    }

    @Test
    void nulInANameAPathOrAScopeNeverReachesC() {
        try (Credential credential = Openers.credential();
                ScalerRuntime runtime = ScalerRuntime.create();
                Series series = Series.create();
                Policy policy = Policy.open(Support.scaledObject());
                State state = policy.newState()) {
            List<Executable> cuts = List.of(
                    () -> Options.create().scaler("de\0mo"),
                    () -> Options.create().caFile("/etc\0/ca"),
                    () -> Options.create().file("a\0b", ""),
                    () -> Options.create().allowedPrograms("a\0b"),
                    () -> credential.token("https://a\0b"),
                    () -> credential.invalidate("https://a\0b", "token"),
                    () -> runtime.find("a\0b"),
                    () -> state.decide(Observation.of(3).pods(List.of(Pod.of("a\0b")), List.of())),
                    () -> series.read(0, "time,value\n".getBytes(StandardCharsets.UTF_8), "a\0b"));
            for (Executable cut : cuts) {
                String message = assertThrows(IllegalArgumentException.class, cut).getMessage();
                assertTrue(message.contains("NUL"), message);
            }
        }
        assertTrue(assertThrows(IllegalArgumentException.class, () -> Options.create().allowedPrograms("az,sh"))
                .getMessage()
                .contains("comma"));
    }

    @Test
    void bigManifestsAreBeyondTheLimit() {
        GputideException refused =
                assertThrows(GputideException.class, () -> Policy.open("# " + "x".repeat(10 << 20)));
        assertTrue(refused.what().contains("at most 1048576"), refused.what());
    }

    @Test
    void bigSeriesGoThroughWhole() {
        int points = 550_000;
        StringBuilder text = new StringBuilder("time,value\n");
        for (int index = 0; index < points; index++) {
            text.append(Support.NOW_MS + index * 1000L).append(',').append(index % 100).append(".25\n");
        }
        assertTrue(text.length() > 10 << 20);
        try (Series series = Series.create()) {
            series.read(0, text.toString());
            assertEquals((long) points, series.describe().object().get("points"));
            assertEquals(points + 1L, series.write().lines().count());
        }
    }

    @Test
    void unicodeBeyondTheBmpComesBackTheSame() {
        String trigger = "{\"type\":\"values\",\"name\":\"" + BEYOND_BMP + "\",\"metadata\":{\"threshold\":\"5\"}}";
        try (Policy policy = Policy.open(Support.scaledObject("demo", trigger));
                State state = policy.newState()) {
            assertEquals(List.of(BEYOND_BMP), policy.metrics());
            assertTrue(policy.describe().toString().contains(BEYOND_BMP));
            Decision decision = state.decide(Observation.of(3).at(Support.NOW).values(42.5).withReport());
            assertTrue(decision.explain().contains(BEYOND_BMP));
        }
    }

    @Test
    void unicodeTextsThatAreCutDecode() {
        String trigger = "{\"type\":\"" + BEYOND_BMP.repeat(2000) + "\",\"metadata\":{}}";
        GputideException.Invalid refused =
                assertThrows(GputideException.Invalid.class, () -> Policy.open(Support.scaledObject("demo", trigger)));
        assertFalse(refused.getMessage().contains("\uFFFD"));
        assertTrue(refused.getMessage().contains(BEYOND_BMP));
    }

    @Test
    void unicodeLoneSurrogatesAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> Policy.open("\uD800"));
        assertThrows(IllegalArgumentException.class, () -> Options.create().scaler("\uDC00"));
    }

    @Test
    void bytesAreTakenAsTheyAre() {
        assertTrue(Gputide.check(Support.scaledObject().getBytes(StandardCharsets.UTF_8), null).isOk());
        assertThrows(GputideException.Invalid.class, () -> Scaler.open(new byte[] {(byte) 0xff, (byte) 0xfe}, null));
    }

    @Test
    void everyOptionReachesItsMember() throws Exception {
        Options options = Options.create()
                .allowEnvironment().allowPlainHttp().allowCustomAuthority().enableAzureProxy().strict().verifiedPeers()
                .allowUnverifiedPeers()
                .textName("textName").scaler("scaler").allowedEnvironment("a", "b").allowedTokenHosts("c", "d")
                .allowedPrograms("e", "f").secretsDir("secretsDir").caFile("caFile").caPem("pem\0").proxy("proxy")
                .userAgent("userAgent").kubeconfig("kubeconfig").kubeContext("kubeContext")
                .serviceAccountDir("serviceAccountDir").file("name", "text");
        Set<Integer> said = new HashSet<>();
        try (Frame frame = Frame.take()) {
            long address = Options.in(frame, options);
            assertEquals(127, fieldOf(address, Abi.Options.FLAGS, said) & 0xFFFF_FFFFL);
            assertEquals("textName", textOf(address, Abi.Options.TEXT_NAME, said));
            assertEquals("scaler", textOf(address, Abi.Options.SCALER, said));
            assertEquals("a,b", textOf(address, Abi.Options.ALLOWED_ENVIRONMENT, said));
            assertEquals("c,d", textOf(address, Abi.Options.ALLOWED_TOKEN_HOSTS, said));
            assertEquals("e,f", textOf(address, Abi.Options.ALLOWED_PROGRAMS, said));
            assertEquals("secretsDir", textOf(address, Abi.Options.SECRETS_DIR, said));
            assertEquals("caFile", textOf(address, Abi.Options.CA_FILE, said));
            assertEquals("proxy", textOf(address, Abi.Options.PROXY, said));
            assertEquals("userAgent", textOf(address, Abi.Options.USER_AGENT, said));
            assertEquals("kubeconfig", textOf(address, Abi.Options.KUBECONFIG, said));
            assertEquals("kubeContext", textOf(address, Abi.Options.KUBE_CONTEXT, said));
            assertEquals("serviceAccountDir", textOf(address, Abi.Options.SERVICE_ACCOUNT_DIR, said));
            long pem = fieldOf(address, Abi.Options.CA_PEM, said);
            assertEquals(4, fieldOf(address, Abi.Options.CA_PEM_BYTES, said));
            assertArrayEquals("pem\0".getBytes(StandardCharsets.UTF_8), Memory.read(pem, 4));
            long file = fieldOf(address, Abi.Options.FILES, said);
            assertEquals(1, fieldOf(address, Abi.Options.FILE_COUNT, said) & 0xFFFF_FFFFL);
            assertEquals("name", Memory.text(fieldOf(file, Abi.File.NAME, new HashSet<>())));
            said.addAll(List.of(Abi.Options.STRUCT_SIZE, Abi.Options.FILE_SIZE));
        }
        Set<Integer> known = new HashSet<>();
        for (var field : Abi.Options.class.getDeclaredFields()) {
            if (!field.getName().equals("SIZE")) {
                known.add(field.getInt(null));
            }
        }
        assertEquals(known, said);
    }

    private static long fieldOf(long struct, int offset, Set<Integer> said) {
        said.add(offset);
        return java.nio.ByteBuffer.wrap(Memory.read(struct + offset, 8)).order(java.nio.ByteOrder.nativeOrder()).getLong();
    }

    private static String textOf(long struct, int offset, Set<Integer> said) {
        return Memory.text(fieldOf(struct, offset, said));
    }

    @Test
    void durationsAreRoundedUpAndClamped() {
        assertEquals(0, Times.durationMs(Duration.ZERO));
        assertEquals(1, Times.durationMs(Duration.ofNanos(1)));
        assertEquals(1, Times.durationMs(Duration.ofMillis(1)));
        assertEquals(1500, Times.durationMs(Duration.ofMillis(1500)));
        assertEquals(Integer.MAX_VALUE, Times.durationMs(Duration.ofDays(100_000)));
        assertEquals(2_147_482_999, Times.durationMs(Duration.ofMillis(2_147_482_999)));
        assertThrows(IllegalArgumentException.class, () -> Times.durationMs(Duration.ofNanos(-1)));
    }

    @Test
    void quantitiesAndClaims() {
        assertEquals(1500, Gputide.quantity("1500m"));
        assertEquals(2_048_000, Gputide.quantity("2Ki"));
        assertEquals(100, Gputide.quantity("0.1"));
        assertThrows(GputideException.Protocol.class, () -> Token.claims("no token"));
        assertEquals("me", Token.claims("eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.x").object().get("sub"));
    }
}
