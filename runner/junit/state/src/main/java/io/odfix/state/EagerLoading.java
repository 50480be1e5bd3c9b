package io.odfix.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;

/**
 * Eager class loading (Gyori et al., ISSTA 2015, section 4.6). One run writes the names of the
 * classes with observed static fields, in the order of their initialisation. The next run
 * initialises them in that order before its first capture. If the first process was killed, the
 * file's last line may be incomplete, and then is not the name of a class.
 */
final class EagerLoading {
    private EagerLoading() {}

    /** Records an initialised class. */
    static void met(String file, Class<?> c) {
        try {
            java.nio.file.Files.write(Paths.get(file), (c.getName() + "\n").getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            AgentApi.note("the classes that tests load cannot be written down: " + e);
        }
    }

    /** Initialises the classes in the file that the tests' class loader has. */
    static void load(String file) {
        int missing = 0;
        for (String name : names(Paths.get(file))) {
            try {
                Class.forName(name, true, loader());
            } catch (Throwable t) { // also of an initialiser, which may depend on the order
                missing++;
            }
        }
        if (missing > 0) {
            AgentApi.note(missing + " classes that tests load could not be loaded before the first one: those of other class loaders, or ones that fail in another order");
        }
    }

    private static List<String> names(Path file) {
        try {
            return java.nio.file.Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return Collections.emptyList(); // none was met
        } catch (IOException e) {
            AgentApi.note("the classes to be loaded before the first test cannot be read: " + e);
            return Collections.emptyList();
        }
    }

    private static ClassLoader loader() {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return context == null ? ClassLoader.getSystemClassLoader() : context;
    }
}
