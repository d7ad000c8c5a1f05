package io.gputide.conformance;

import io.gputide.Decision;
import io.gputide.Floor;
import io.gputide.Gputide;
import io.gputide.GputideException;
import io.gputide.Handle;
import io.gputide.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One line of the protocol: its calls one after another, and what they opened. */
final class Case {
    private static final long PATIENCE_NS = 5_000_000_000L;

    private final Map<String, Object> line;
    private final Map<String, Object> things = new LinkedHashMap<>();
    private final Map<String, String> policies = new LinkedHashMap<>(); // of states

    Case(Map<String, Object> line) {
        this.line = line;
    }

    /** A call names what an earlier one failed to open. */
    static final class Missing extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Missing(String name) {
            super(name);
        }
    }

    /** A call that is unknown, or cannot be made as it is written. */
    static final class Fault extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Fault(String message) {
            super(message);
        }
    }

    Map<String, Object> answer() {
        Map<String, Object> out = new TreeMap<>();
        List<Object> results = new ArrayList<>();
        out.put("case", line.get("case"));
        out.put("results", results);
        for (Object one : (List<?>) line.get("calls")) {
            Call call = new Call(Values.object(one), this);
            try {
                results.add(result(call));
            } catch (Fault | ClassCastException problem) {
                out.put("fault", JsonOut.of(one) + ": " + problem);
                break;
            }
        }
        close((String) line.getOrDefault("close", "reverse"));
        out.put("alive", alive());
        return out;
    }

    private static Map<String, Object> result(Call call) {
        try {
            call.make();
        } catch (Missing missing) {
            return Map.of("missing", missing.getMessage());
        } catch (GputideException problem) {
            call.gives("error", ResultsOut.error(problem));
        } catch (IllegalStateException closed) {
            call.gives("error", ResultsOut.error(Status.STATE, closed.getMessage()));
        } catch (IllegalArgumentException | IndexOutOfBoundsException refused) { // before C saw it
            call.gives("error", ResultsOut.error(Status.INVALID, refused.getMessage()));
        } catch (InterruptedException nobodyDoes) {
            throw new Fault(nobodyDoes.toString());
        }
        return call.result();
    }

    void keep(String name, Object thing) {
        if (things.containsKey(name) && !(thing instanceof Decision || thing instanceof Floor)) {
            throw new Fault("as: the name " + name + " is taken");
        }
        things.put(name, thing);
    }

    <T> T find(String name, Class<T> kind) {
        if (!things.containsKey(name)) {
            throw new Missing(name);
        }
        return kind.cast(things.get(name));
    }

    void policyOf(String state, String policy) {
        policies.put(state, policy);
    }

    String policyOf(String state) {
        return policies.get(state);
    }

    private void close(String order) {
        List<Handle> handles = new ArrayList<>();
        for (Object thing : things.values()) {
            if (thing instanceof Handle handle) {
                handles.add(handle);
            }
        }
        things.clear();
        if (order.equals("collect")) {
            return; // alive() waits for the collector
        }
        if (order.equals("reverse")) {
            Collections.reverse(handles);
        }
        handles.forEach(Handle::close);
    }

    /** The collector takes a moment, and a forgotten runtime ends in the background. */
    private static long alive() {
        long started = System.nanoTime();
        while (Gputide.alive() > 0 && System.nanoTime() - started < PATIENCE_NS) {
            System.gc();
            try {
                Thread.sleep(5);
            } catch (InterruptedException nobodyDoes) {
                throw new Fault(nobodyDoes.toString());
            }
        }
        return Gputide.alive();
    }
}
