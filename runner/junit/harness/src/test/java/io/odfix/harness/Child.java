package io.odfix.harness;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real test JVM with the harness in it, and odfix's end of the protocol. */
final class Child implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    final Process process;
    final Received hello;
    private final Path dir;
    private final DataOutputStream commands;
    private final DataInputStream events;
    private final Thread guard;

    /** Starts a JVM with the jars given by their names in target/junits, and JVM arguments. */
    static Child with(List<String> jars, String... jvm) throws Exception {
        return new Child(jars, jvm);
    }

    private Child(List<String> jars, String... jvm) throws Exception {
        dir = Files.createTempDirectory("odfix-harness");
        Path in = dir.resolve("in");
        Path out = dir.resolve("out");
        new ProcessBuilder("mkfifo", in.toString(), out.toString()).start().waitFor();
        StringBuilder path = new StringBuilder("target/test-classes");
        for (String jar : jars) {
            File file = new File("target/junits/" + jar + ".jar");
            if (!file.exists()) {
                throw new IllegalStateException(file + " is missing");
            }
            path.append(File.pathSeparator).append(file);
        }
        path.append(File.pathSeparator).append("target/classes");
        List<String> line = new ArrayList<>(Arrays.asList(
                System.getProperty("java.home") + "/bin/java", "-Xmx64m", "-Xshare:auto", "-XX:TieredStopAtLevel=1"));
        line.addAll(Arrays.asList(jvm));
        Collections.addAll(line, "-Dtape=" + dir.resolve("tape"), "-Dodfix.pipes=" + in + "," + out);
        Collections.addAll(line, "-cp", path.toString(), "io.odfix.harness.Main");
        process = new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(dir.resolve("log").toFile()).start();
        guard = new Thread(this::guard, "guard");
        guard.setDaemon(true);
        guard.start();
        commands = new DataOutputStream(new FileOutputStream(in.toFile()));
        events = new DataInputStream(new FileInputStream(out.toFile()));
        hello = read();
    }

    /**
     * A child that says nothing is killed, so that the reader meets the end of the pipe instead of
     * waiting for ever.
     */
    private void guard() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            // A child that never opened its pipes leaves us waiting to open ours.
            for (String pipe : new String[] {"in", "out"}) {
                try (java.io.RandomAccessFile both = new java.io.RandomAccessFile(dir.resolve(pipe).toFile(), "rw")) {
                    both.getFD();
                }
            }
        } catch (InterruptedException | IOException e) {
            return;
        }
    }

    List<Received> discover(String... classes) throws IOException {
        send('D', body(Arrays.asList(classes)));
        return until('.');
    }

    List<Received> run(String... ids) throws IOException {
        return runWith("", ids);
    }

    List<Received> runWith(String switches, String... ids) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(body);
        data.writeLong(42);
        data.write(string(switches));
        data.write(body(Arrays.asList(ids)));
        send('R', body.toByteArray());
        return until('.', 'e', 'x');
    }

    void start(String... ids) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(body);
        data.writeLong(42);
        data.write(string(""));
        data.write(body(Arrays.asList(ids)));
        send('R', body.toByteArray());
    }

    void send(char type, byte... body) throws IOException {
        commands.writeInt(1 + body.length);
        commands.write(type);
        commands.write(body);
        commands.flush();
    }

    /** Frames up to and including the first of one of these types; or up to the end of the pipe. */
    List<Received> until(char... last) throws IOException {
        List<Received> all = new ArrayList<>();
        while (true) {
            Received said = read();
            if (said == null) {
                return all;
            }
            all.add(said);
            for (char each : last) {
                if (said.type == each) {
                    return all;
                }
            }
        }
    }

    private Received read() throws IOException {
        int length;
        try {
            length = events.readInt();
        } catch (EOFException e) {
            return null;
        }
        byte[] frame = new byte[length];
        events.readFully(frame);
        return Received.of(frame);
    }

    List<String> tape() throws IOException {
        Path tape = dir.resolve("tape");
        return Files.exists(tape) ? Files.readAllLines(tape, StandardCharsets.UTF_8) : Collections.<String>emptyList();
    }

    String log() throws IOException {
        return new String(Files.readAllBytes(dir.resolve("log")), StandardCharsets.UTF_8);
    }

    /** Closes the command pipe and waits for the end that must follow. */
    int hangUp() throws Exception {
        commands.close();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the child outlives its parent");
        }
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        commands.close();
        events.close();
        process.destroyForcibly();
        try {
            process.waitFor();
            guard.join(TimeUnit.SECONDS.toMillis(5));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (String name : new String[] {"in", "out", "tape", "log"}) {
            Files.deleteIfExists(dir.resolve(name));
        }
        Files.deleteIfExists(dir);
    }

    private static byte[] string(String text) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        new DataOutputStream(out).writeInt(utf8.length);
        out.write(utf8);
        return out.toByteArray();
    }

    private static byte[] body(List<String> strings) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DataOutputStream(out).writeInt(strings.size());
        for (String each : strings) {
            out.write(string(each));
        }
        return out.toByteArray();
    }
}
