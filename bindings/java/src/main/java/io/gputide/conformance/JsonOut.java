package io.gputide.conformance;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Maps, lists, texts and numbers as one line of JSON. */
final class JsonOut {
    private final StringBuilder out = new StringBuilder();

    private JsonOut() {}

    static String of(Object value) {
        JsonOut json = new JsonOut();
        json.write(value);
        return json.out.toString();
    }

    private void write(Object value) {
        if (value instanceof Map<?, ?> map) {
            separated('{', map.entrySet(), '}', entry -> {
                text((String) entry.getKey());
                out.append(':');
                write(entry.getValue());
            });
        } else if (value instanceof List<?> list) {
            separated('[', list, ']', this::write);
        } else if (value instanceof CharSequence text) {
            text(text);
        } else if (value == null || value instanceof Number || value instanceof Boolean) {
            out.append(value);
        } else {
            throw new IllegalArgumentException("no JSON for a " + value.getClass().getName());
        }
    }

    private <T> void separated(char open, Iterable<T> each, char close, Consumer<T> writer) {
        out.append(open);
        String between = "";
        for (T one : each) {
            out.append(between);
            writer.accept(one);
            between = ",";
        }
        out.append(close);
    }

    private void text(CharSequence text) {
        out.append('"');
        for (int index = 0; index < text.length(); index++) {
            char each = text.charAt(index);
            switch (each) {
                case '"', '\\' -> out.append('\\').append(each);
                default -> {
                    if (each < ' ' || Character.isSurrogate(each)) {
                        out.append(String.format("\\u%04x", (int) each));
                    } else {
                        out.append(each);
                    }
                }
            }
        }
        out.append('"');
    }
}
