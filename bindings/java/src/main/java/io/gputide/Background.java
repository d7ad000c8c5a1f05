package io.gputide;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Daemon threads for calls that wait, and the end of the program, which ends those. */
final class Background {
    private static final MethodHandle IS_VIRTUAL = isVirtualHandle();
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(Background::thread);
    private static final long EXIT_NS = 2_000_000_000L;
    private static final Set<Wait<?>> WAITS = ConcurrentHashMap.newKeySet();
    private static final Set<ScalerRuntime> RUNTIMES = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(Background::exit, "gputide-exit"));
        } catch (IllegalStateException late) {
            // the program is ending already
        }
    }

    private Background() {}

    static void run(Runnable task) {
        THREADS.execute(task);
    }

    static void add(Wait<?> wait) {
        WAITS.add(wait);
    }

    static void remove(Wait<?> wait) {
        WAITS.remove(wait);
    }

    /** Its thread is to end with the program. */
    static void add(ScalerRuntime runtime) {
        RUNTIMES.add(runtime);
    }

    static void remove(ScalerRuntime runtime) {
        RUNTIMES.remove(runtime);
    }

    /** Threads of Java 21 that share a platform's. */
    static boolean isVirtual() {
        if (IS_VIRTUAL == null) {
            return false;
        }
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static MethodHandle isVirtualHandle() {
        try {
            return MethodHandles.publicLookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException older) {
            return null;
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "gputide-" + COUNT.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** Every thread in C returns from it: behind this the library's own memory goes. */
    private static void exit() {
        long until = System.nanoTime() + EXIT_NS;
        List<ScalerRuntime> runtimes;
        synchronized (RUNTIMES) {
            runtimes = List.copyOf(RUNTIMES);
        }
        WAITS.forEach(Wait::fire);
        runtimes.forEach(runtime -> runtime.exit(0));
        runtimes.forEach(runtime -> runtime.exit((int) Math.max(0, (until - System.nanoTime()) / 1_000_000)));
        while (!WAITS.isEmpty() && System.nanoTime() < until) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
