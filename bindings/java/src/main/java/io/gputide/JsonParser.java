package io.gputide;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** RFC 8259, one value a text.  What is not that is an IllegalArgumentException with its place. */
final class JsonParser {
    private static final int DEEPEST = 512;

    private final String text;
    private int at;
    private int depth;

    JsonParser(String text) {
        this.text = text;
    }

    Object parse() {
        Object value = value();
        skipSpace();
        if (at != text.length()) {
            throw wrong("something behind the value");
        }
        return value;
    }

    private Object value() {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        enter('{');
        if (!taken('}')) {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                take(':');
                members.put(name, value());
                skipSpace();
            } while (taken(','));
            take('}');
        }
        depth--;
        return Collections.unmodifiableMap(members);
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        enter('[');
        if (!taken(']')) {
            do {
                elements.add(value());
                skipSpace();
            } while (taken(','));
            take(']');
        }
        depth--;
        return Collections.unmodifiableList(elements);
    }

    private void enter(char bracket) {
        take(bracket);
        if (++depth > DEEPEST) {
            throw wrong("more than " + DEEPEST + " levels");
        }
        skipSpace();
    }

    private String string() {
        take('"');
        StringBuilder out = new StringBuilder();
        while (true) {
            char next = next();
            if (next == '"') {
                return out.toString();
            }
            if (next < ' ') {
                throw wrong("a control character in a string");
            }
            out.append(next == '\\' ? escaped() : next);
        }
    }

    private char escaped() {
        char kind = next();
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unit();
            default -> throw wrong("an unknown escape");
        };
    }

    /** A UTF-16 unit; two of them are a character beyond the BMP here as in the text. */
    private char unit() {
        int value = 0;
        for (int digit = 0; digit < 4; digit++) {
            int each = Character.digit(next(), 16);
            if (each < 0) {
                throw wrong("no hexadecimal digit");
            }
            value = value << 4 | each;
        }
        return (char) value;
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("no value");
        }
        at += word.length();
        return value;
    }

    private Object number() {
        int start = at;
        taken('-');
        if (!taken('0')) {
            digits();
        }
        boolean integer = true;
        if (taken('.')) {
            integer = false;
            digits();
        }
        if (taken('e') || taken('E')) {
            integer = false;
            if (!taken('+')) {
                taken('-');
            }
            digits();
        }
        String number = text.substring(start, at);
        if (!integer) {
            return Double.valueOf(number);
        }
        BigInteger whole = new BigInteger(number);
        return whole.bitLength() < Long.SIZE ? (Object) whole.longValue() : whole;
    }

    private void digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == start) {
            throw wrong("no value");
        }
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private char next() {
        if (at >= text.length()) {
            throw wrong("the text ends");
        }
        return text.charAt(at++);
    }

    private boolean taken(char wanted) {
        boolean there = at < text.length() && text.charAt(at) == wanted;
        at += there ? 1 : 0;
        return there;
    }

    private void take(char wanted) {
        if (!taken(wanted)) {
            throw wrong("no " + wanted);
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("JSON at character " + at + ": " + what);
    }
}
