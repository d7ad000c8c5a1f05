package io.gputide;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Decides in three class loaders of one JVM, all of which stay. */
final class LoadersProgram {
    private LoadersProgram() {}

    /** Code that each class loader runs with classes of its own. */
    public static final class Decides implements Runnable {
        private String said;

        @Override
        public void run() {
            try (Policy policy = Policy.open(Support.scaledObject()); State state = policy.newState()) {
                Decision decision = state.decide(Observation.of(3).values(42.5));
                said = decision.current() + " -> " + decision.desired();
            }
        }

        @Override
        public String toString() {
            return said;
        }
    }

    public static void main(String[] arguments) throws Exception {
        List<URL> places = new ArrayList<>();
        for (String place : arguments[0].split(File.pathSeparator)) {
            places.add(new File(place).toURI().toURL());
        }
        List<URLClassLoader> loaders = new ArrayList<>();
        for (int index = 0; index < 3; index++) {
            URLClassLoader loader = new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
            loaders.add(loader);
            var constructor = loader.loadClass("io.gputide.LoadersProgram$Decides").getDeclaredConstructor();
            constructor.setAccessible(true);
            Runnable decides = (Runnable) constructor.newInstance();
            decides.run();
            System.out.println(index + ": " + decides);
        }
        for (URLClassLoader loader : loaders) {
            loader.close();
        }
    }
}
