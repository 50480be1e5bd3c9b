package io.odfix.launch;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The request of odfix for this build: the file {@code request.properties} in the record folder.
 */
final class Request {
    /** The property that names the record folder. Without it the extension does nothing. */
    static final String PROPERTY = "odfix.record";

    final Path folder;
    private final Set<String> modules;
    /** Plugins that check sources and are left out; null: all of them. */
    private final Set<String> without;
    private final AtomicInteger executions = new AtomicInteger();

    private Request(Path folder, Properties properties) {
        this.folder = folder;
        String list = properties.getProperty("modules", "");
        this.modules = list.isEmpty() ? null : new HashSet<>(Arrays.asList(list.split("\n")));
        String plugins = properties.getProperty("without", "");
        this.without = plugins.isEmpty() ? null : new HashSet<>(Arrays.asList(plugins.split(",")));
    }

    private static Request current;

    /** The request of this build, or null if odfix did not start it. */
    static synchronized Request current(Properties user) {
        String folder = user.getProperty(PROPERTY);
        if (current == null && folder != null) {
            current = read(new File(folder).toPath());
        }
        return current;
    }

    static Request read(Path folder) {
        Properties properties = new Properties();
        try (InputStream in = new FileInputStream(folder.resolve("request.properties").toFile())) {
            properties.load(in);
        } catch (IOException e) {
            System.err.println("odfix: cannot read what to record: " + e);
        }
        return new Request(folder, properties);
    }

    /** Whether the tests of the module in this folder are requested. */
    boolean wants(File basedir) {
        return modules == null || modules.contains(basedir.getAbsolutePath());
    }

    /** Whether a plugin that only checks sources is left out. */
    boolean leavesOut(String plugin) {
        return without == null || without.contains(plugin);
    }

    /** A new folder for the record of one execution. Numbers give the order of executions. */
    Path executionFolder() throws IOException {
        return Files.createDirectories(folder.resolve(String.format("%03d", executions.incrementAndGet())));
    }

    /** Writes a record so that a reader sees all of it or nothing. */
    static void write(Path file, Map<String, Object> record) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.write(part, Json.write(record).getBytes(StandardCharsets.UTF_8));
        Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    }
}
