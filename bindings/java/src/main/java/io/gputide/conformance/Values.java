package io.gputide.conformance;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Protocol 1's numbers, texts and times, to and from JSON's. */
final class Values {
    private static final long EXACT = 1L << 53; // integers beyond it are texts

    private Values() {}

    @SuppressWarnings("unchecked") // JsonText makes no other maps
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked") // JsonText makes no other lists
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    static BigInteger integer(Object value) {
        if (value instanceof Long || value instanceof BigInteger || value instanceof String) {
            return new BigInteger(value.toString());
        }
        throw new Case.Fault("expected an integer, got " + value);
    }

    /** 64 bits, with or without a sign; 0 where it is absent. */
    static long number(Map<String, Object> given, String name) {
        return integer(given.getOrDefault(name, 0L)).longValue();
    }

    /** 32 bits with a sign; 0 where it is absent. */
    static int small(Map<String, Object> given, String name) {
        return Math.toIntExact(number(given, name));
    }

    static Instant time(Map<String, Object> given, String name) {
        return Instant.ofEpochMilli(number(given, name));
    }

    /** Each object of an array; none where it is absent. */
    static <T> List<T> each(Map<String, Object> given, String name, Function<Map<String, Object>, T> read) {
        return each(list(given.getOrDefault(name, List.of())), read);
    }

    static <T> List<T> each(List<Object> given, Function<Map<String, Object>, T> read) {
        return given.stream().map(one -> read.apply(object(one))).toList();
    }

    static double real(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        return switch ((String) value) {
            case "NaN" -> Double.NaN;
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> throw new Case.Fault("expected a number, got " + value);
        };
    }

    static byte[] text(Object value) {
        if (value instanceof Map<?, ?> map) {
            return Base64.getDecoder().decode((String) map.get("b64"));
        }
        return ((String) value).getBytes(StandardCharsets.UTF_8);
    }

    static String word(Object value) {
        return value instanceof String word ? word : new String(text(value), StandardCharsets.UTF_8);
    }

    static Object out(long value) {
        return -EXACT <= value && value <= EXACT ? (Object) value : Long.toString(value);
    }

    /** Of 64 bits without a sign. */
    static Object outUnsigned(long value) {
        return value < 0 ? Long.toUnsignedString(value) : out(value);
    }

    static Object out(Optional<Instant> time) {
        return out(time.map(Instant::toEpochMilli).orElse(0L));
    }
}
