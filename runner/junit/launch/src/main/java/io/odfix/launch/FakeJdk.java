package io.odfix.launch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A folder that Surefire accepts as a JDK. Surefire requires the path to end in bin/java, and reads
 * the file "release" two levels up to learn whether the JVM has modules. So the folder has both.
 * Its bin/java records its arguments and environment.
 */
final class FakeJdk {
    private FakeJdk() {
    }

    /** Creates it below {@code folder} and returns the path of its java. */
    static Path create(Path folder, String realJava, String pluginVersion) throws IOException {
        Path home = folder.resolve("jdk");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        try (InputStream script = FakeJdk.class.getResourceAsStream("recorder.sh")) {
            Files.copy(script, java, StandardCopyOption.REPLACE_EXISTING);
        }
        if (!java.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + java + " executable");
        }
        writeRelease(home, new File(realJava).getAbsoluteFile());
        Files.write(folder.resolve("java"), (realJava + "\n").getBytes(StandardCharsets.UTF_8));
        Files.write(folder.resolve("goodbye"), goodbye(pluginVersion).getBytes(StandardCharsets.ISO_8859_1));
        return java;
    }

    /**
     * The line with which a fork announces to Surefire that it ends on purpose. It changed in three
     * milestones.
     */
    static String goodbye(String pluginVersion) {
        if (pluginVersion.startsWith("2.") || pluginVersion.matches("3\\.0\\.0-M[123]")) {
            return "Z,0,BYE!\n";
        }
        if (pluginVersion.equals("3.0.0-M4")) {
            return ":maven:surefire:std:out:bye:\n";
        }
        if (pluginVersion.equals("3.0.0-M5")) {
            return ":maven-surefire-event:bye:\n";
        }
        return ":maven-surefire-event:\003:bye:\n";
    }

    private static void writeRelease(Path home, File realJava) throws IOException {
        File bin = realJava.getCanonicalFile().getParentFile();
        File jdk = bin == null ? null : bin.getParentFile();
        if (jdk != null && jdk.getName().equals("jre")) {
            jdk = jdk.getParentFile();
        }
        File release = new File(jdk, "release");
        if (release.isFile()) {
            Files.copy(release.toPath(), home.resolve("release"), StandardCopyOption.REPLACE_EXISTING);
            return;
        }
        // Some distributions have no release file. The version of Maven's JVM is then the best
        // guess.
        String line = "JAVA_VERSION=\"" + System.getProperty("java.version") + "\"\n";
        Files.write(home.resolve("release"), line.getBytes(StandardCharsets.UTF_8));
    }
}
