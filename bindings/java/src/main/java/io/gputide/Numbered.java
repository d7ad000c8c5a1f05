package io.gputide;

import java.io.Serializable;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntToLongFunction;

/**
 * A number of gputide.h and its name.  No Java enum, as a newer library may have numbers that have no name here: such a one keeps its
 * number and is named {@code UNKNOWN_99}.  Those with a name are one object each, so {@code ==} compares them.
 */
public abstract class Numbered implements Serializable {
    private static final long serialVersionUID = 1L;

    /** As in gputide.h. */
    private final int number;
    private final transient String name;

    Numbered(int number, String name) {
        this.number = number;
        this.name = name;
    }

    /** Makes one of a class. */
    interface Maker<T> {
        T make(int number, String name);
    }

    static <T extends Numbered> T of(List<T> values, int number, Maker<T> maker) {
        for (T value : values) {
            if (value.number() == number) {
                return value;
            }
        }
        return maker.make(number, "UNKNOWN_" + number);
    }

    /** {@return the number that C has for it} */
    public final int number() {
        return number;
    }

    /** {@return its name in gputide.h, without what those of its kind have in common} */
    public final String name() {
        return name;
    }

    /** The word by which the library's texts have it, from the library; the name where none can be opened. */
    final String spelled(IntToLongFunction words) {
        try {
            Library.open();
        } catch (UnsatisfiedLinkError none) {
            return name;
        }
        return Objects.requireNonNullElse(Memory.text(words.applyAsLong(number)), name);
    }

    @Override
    public String toString() {
        return name.toLowerCase(Locale.ROOT);
    }

    @Override
    public final boolean equals(Object other) {
        return other != null && other.getClass() == getClass() && ((Numbered) other).number == number;
    }

    @Override
    public final int hashCode() {
        return Integer.hashCode(number);
    }
}
