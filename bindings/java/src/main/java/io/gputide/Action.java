// Written by bindings/generator from include/gputide/gputide.h: change that, then run python3 -m bindings.generator.
package io.gputide;

import java.util.List;

/** The caller's next action. A number of a newer library, without a name here, stays what it is. */
public final class Action extends Numbered {
    private static final long serialVersionUID = 1L;

    /** {@code GPUTIDE_ACTION_NONE}. */
    public static final Action NONE = new Action(0, "NONE");

    /** {@code GPUTIDE_ACTION_RETRY}. */
    public static final Action RETRY = new Action(1, "RETRY");

    /** {@code GPUTIDE_ACTION_WAIT}: until retry_at_ms. */
    public static final Action WAIT = new Action(2, "WAIT");

    /** {@code GPUTIDE_ACTION_FIX_CONFIGURATION}. */
    public static final Action FIX_CONFIGURATION = new Action(3, "FIX_CONFIGURATION");

    /** {@code GPUTIDE_ACTION_FIX_CREDENTIALS}. */
    public static final Action FIX_CREDENTIALS = new Action(4, "FIX_CREDENTIALS");

    /** {@code GPUTIDE_ACTION_GRANT_ROLE}. */
    public static final Action GRANT_ROLE = new Action(5, "GRANT_ROLE");

    /** {@code GPUTIDE_ACTION_FIX_QUERY}. */
    public static final Action FIX_QUERY = new Action(6, "FIX_QUERY");

    /** {@code GPUTIDE_ACTION_ALLOW_BY_NAME}: allow it in the options, or correct it. */
    public static final Action ALLOW_BY_NAME = new Action(7, "ALLOW_BY_NAME");

    /** {@code GPUTIDE_ACTION_UPGRADE}. */
    public static final Action UPGRADE = new Action(8, "UPGRADE");

    /** {@code GPUTIDE_ACTION_REPORT_BUG}. */
    public static final Action REPORT_BUG = new Action(9, "REPORT_BUG");

    private static final List<Action> VALUES = List.of(NONE, RETRY, WAIT, FIX_CONFIGURATION, FIX_CREDENTIALS,
            GRANT_ROLE, FIX_QUERY, ALLOW_BY_NAME, UPGRADE, REPORT_BUG);

    private Action(int number, String name) {
        super(number, name);
    }

    /**
     * All that have a name here, in the order of their numbers.
     *
     * @return the list, immutable
     */
    public static List<Action> values() {
        return VALUES;
    }

    /**
     * What C has as a number.
     *
     * @param number as in gputide.h
     * @return one of {@link #values}, or one named {@code UNKNOWN_99}
     */
    public static Action of(int number) {
        return of(VALUES, number, Action::new);
    }

    /** The library's own word for it. */
    @Override
    public String toString() {
        return spelled(Native::actionName);
    }

    /** {@return the one object that stands for its number} */
    private Object readResolve() {
        return of(number());
    }
}
