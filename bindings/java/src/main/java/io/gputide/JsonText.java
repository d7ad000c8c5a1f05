package io.gputide;

import java.util.List;
import java.util.Map;

/** A JSON text of the library, as it came and parsed when asked for.  docs/json.md has every member of every text. */
public final class JsonText implements CharSequence {
    private final String text;

    private JsonText(String text) {
        this.text = text;
    }

    /**
     * A text that is to be JSON.
     *
     * @param text any text; it is read by {@link #value} and not before
     * @return the same with a parser
     */
    public static JsonText of(String text) {
        return new JsonText(text);
    }

    /**
     * The text parsed: a {@code Map<String, Object>}, {@code List<Object>}, {@code String}, {@code Boolean}, {@code Long} where an
     * integer fits one, else {@code BigInteger}, {@code Double}, or null.
     *
     * @return the value; maps keep the order of the text, and cannot be changed, nor can lists
     * @throws IllegalArgumentException this is not JSON
     */
    public Object value() {
        return new JsonParser(text).parse();
    }

    /**
     * As {@link #value}, of an object.
     *
     * @return its members
     * @throws IllegalArgumentException this is not a JSON object
     */
    @SuppressWarnings("unchecked") // the parser makes no other maps
    public Map<String, Object> object() {
        if (value() instanceof Map<?, ?> map) {
            return (Map<String, Object>) map;
        }
        throw new IllegalArgumentException("no JSON object: " + text);
    }

    /**
     * As {@link #value}, of an array.
     *
     * @return its elements
     * @throws IllegalArgumentException this is not a JSON array
     */
    @SuppressWarnings("unchecked") // the parser makes no other lists
    public List<Object> array() {
        if (value() instanceof List<?> list) {
            return (List<Object>) list;
        }
        throw new IllegalArgumentException("no JSON array: " + text);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public char charAt(int index) {
        return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    /** The text as it came. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof JsonText its && its.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
