package io.gputide;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The error of a failed call. */
final class ErrorsTest {
    private static GputideException filled(int status, int action, String where, String message) {
        ByteBuffer memory = ByteBuffer.allocate(Abi.Error.SIZE).order(ByteOrder.nativeOrder());
        memory.putInt(Abi.Error.STATUS, status).putInt(Abi.Error.ACTION, action);
        memory.put(Abi.Error.WHERE, where.getBytes(StandardCharsets.UTF_8));
        memory.put(Abi.Error.MESSAGE, message.getBytes(StandardCharsets.UTF_8));
        return Failures.of(new Struct(memory, 0, 0));
    }

    @Test
    void anErrorSaysWhereWhatAndWhatToDo() {
        String manifest = Support.scaledObject("demo", Support.VALUES_TRIGGER, -1);
        GputideException.Invalid error = assertThrows(
                GputideException.Invalid.class, () -> Policy.open(manifest, Options.create().textName("so.json")));
        assertTrue(error.status() == Status.INVALID);
        assertEquals("E_INVALID", error.status().toString());
        assertTrue(error.action() == Action.FIX_CONFIGURATION);
        assertFalse(error.isRetryable());
        assertEquals(Optional.empty(), error.retryAt());
        assertEquals(OptionalInt.empty(), error.httpStatus());
        assertEquals(error.where() + ": " + error.what(), error.getMessage());
        assertTrue(error.where().startsWith("so.json:1"), error.where());
        assertEquals("config", error.detail().orElseThrow().object().get("class"));
    }

    @Test
    void eachStatusHasAClassOfItsOwn() {
        Set<Class<?>> kinds = new HashSet<>();
        for (Status status : Status.values().subList(1, Status.values().size())) {
            GputideException error = filled(status.number(), 0, "", "m");
            assertEquals(status, error.status());
            assertEquals("m", error.getMessage());
            kinds.add(error.getClass());
        }
        assertEquals(Status.values().size() - 1, kinds.size());
        assertFalse(kinds.contains(GputideException.class));
    }

    @Test
    void aStatusOfANewerLibraryIsAnErrorToo() {
        GputideException error = filled(77, 66, "w", "m");
        assertEquals(GputideException.class, error.getClass());
        assertEquals(List.of(77, 66), List.of(error.status().number(), error.action().number()));
        assertEquals("E_UNKNOWN", error.status().toString());
        assertEquals("w: m", error.getMessage());
    }

    @Test
    void aReadThatFailsHasItsSample() {
        try (Source source = Source.open(Openers.TRIGGER)) {
            GputideException.Auth error =
                    assertThrows(GputideException.Auth.class, () -> source.parse(401, "unknown token"));
            assertEquals(OptionalInt.of(401), error.httpStatus());
            Sample sample = error.sample().orElseThrow();
            assertEquals(List.of(SampleState.AUTH, Status.AUTH), List.of(sample.state(), sample.status()));
            assertTrue(sample.value().isEmpty());
        }
    }

    @Test
    void findingsAreNoExceptions() {
        Findings good = Gputide.check(Support.scaledObject());
        Findings bad = Gputide.check(Support.scaledObject().replace("\"minReplicaCount\":1", "\"minReplicaCount\":30"));
        assertTrue(good.isOk());
        assertFalse(bad.isOk());
        Map<?, ?> scaler = (Map<?, ?>) ((List<?>) good.report().object().get("scalers")).get(0);
        assertEquals("demo", scaler.get("name"));
        assertTrue(bad.lines().contains("minReplicaCount"));
        assertEquals(Status.INVALID, bad.error().orElseThrow().status());
    }

    @Test
    void statusesAndActionsHaveTheirWords() {
        assertEquals("E_THROTTLED", Status.THROTTLED.toString());
        assertEquals("fix_credentials", Action.FIX_CREDENTIALS.toString());
        assertEquals("not_a_number", SampleState.NOT_A_NUMBER.toString());
        assertEquals("KEDAScaleTargetActivated", ScaleEvent.ACTIVATED.toString());
    }

    @Test
    void aTokenDoesNotShowItself() {
        ByteBuffer memory = ByteBuffer.allocate(Abi.TokenInfo.SIZE).order(ByteOrder.nativeOrder());
        Token token = new Token("secret", new Struct(memory, 0, 0));
        assertEquals("secret", token.value());
        assertFalse((token + " " + token.hashCode()).contains("secret"));
    }

    @Test
    void jsonIsReadAsItIsWritten() {
        JsonText text = JsonText.of("{\"a\":[1,-2.5e3,true,null,\"\\ud83d\\ude80\\n\"],\"b\":18446744073709551615}");
        assertEquals(java.util.Arrays.asList(1L, -2500.0, true, null, "\uD83D\uDE80\n"), text.object().get("a"));
        assertEquals(new java.math.BigInteger("18446744073709551615"), text.object().get("b"));
        assertEquals(Map.of(), JsonText.of(" { } ").object());
        assertEquals(List.of(), JsonText.of("[]").array());
        for (String wrong : List.of("", "{", "[1,]", "01", "1 2", "\"\\x\"", "\"a", "tru", "{1:2}", "+1", "1.", "[".repeat(1000))) {
            assertThrows(IllegalArgumentException.class, () -> JsonText.of(wrong).value(), wrong);
        }
        assertThrows(IllegalArgumentException.class, () -> JsonText.of("[]").object());
        assertThrows(IllegalArgumentException.class, () -> JsonText.of("{}").array());
    }
}
