package io.gputide;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Java's texts to UTF-8 and back. */
final class Texts {
    private Texts() {}

    /** For C functions that take a size.  A lone surrogate is refused: UTF-8 cannot say it. */
    static byte[] encoded(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] whole = new byte[bytes.remaining()];
            bytes.get(whole);
            return whole;
        } catch (CharacterCodingException problem) {
            throw new IllegalArgumentException("a text with a lone surrogate, which UTF-8 cannot say", problem);
        }
    }

    /** For C functions that stop at a NUL: one inside would cut the text there. */
    static byte[] terminated(String text, String what) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " holds a NUL character");
        }
        return encoded(text);
    }

    /** C has a list of names as one text with commas. */
    static byte[] joined(List<String> names, String what) {
        for (String name : names) {
            if (name.indexOf(',') >= 0) {
                throw new IllegalArgumentException(what + ": a comma in \"" + name + "\"");
            }
        }
        return terminated(String.join(",", names), what);
    }

    /** Bytes that are not UTF-8 become replacement characters. */
    static String decoded(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
