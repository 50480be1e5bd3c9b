package io.odfix.state;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Resources that a test can leave open: TCP ports that it listens on, and child processes. They are
 * compared only after a segment in which observed code called something that opens or closes one. A
 * closed one is reported for no test.
 */
abstract class OpenResources extends ExternalState {
    /**
     * How often a new resource is looked for again, a millisecond later, because a process may be
     * about to end.
     */
    private static final int RECHECKS = 3;

    private Map<String, Object> known;
    private boolean asked;
    /** The initial state is unknown. */
    private boolean unseen;

    private final String word;

    /** @param word the verb for an open resource */
    OpenResources(String name, String word) {
        super(name);
        this.word = word;
    }

    /**
     * Code was loaded that may open or close a resource. Tests that run this code did not open the
     * resources that are open now. Before this call, nothing is examined.
     */
    final synchronized void awaits() {
        if (known == null && !unseen) {
            try {
                known = named();
                held();
            } catch (Exception e) {
                unseen = true;
                AgentApi.note("the initial state is not known, so that changes of this kind are not reported: " + name + " (" + e + ")");
            }
        }
    }

    /** Observed code called something that can open or close a resource. */
    final void asked() {
        asked = true;
    }

    /** The open resources: how many there are of each name. */
    abstract Map<String, Integer> open() throws Exception;

    @Override
    final boolean isReported(Object was, Object now) {
        return now != null && (was == null || ((NamedObject) was).number < ((NamedObject) now).number);
    }

    @Override
    final synchronized Map<String, Object> look() throws Exception {
        if (!asked || unseen) {
            return known == null ? Collections.<String, Object>emptyMap() : known;
        }
        asked = false;
        Map<String, Object> now = named();
        for (int i = 0; known != null && i < RECHECKS && !known.entrySet().containsAll(now.entrySet()) && ThreadsAndHooks.rests(); i++) {
            now = named();
        }
        known = now;
        return now;
    }

    private Map<String, Object> named() throws Exception {
        Map<String, Object> out = new HashMap<String, Object>();
        for (Map.Entry<String, Integer> e : open().entrySet()) {
            int n = e.getValue();
            out.put(e.getKey(), new NamedObject(n == 1 ? word : n + " " + word, n));
        }
        return out;
    }

    /** Classes and methods of the JDK that open or close a resource. */
    static boolean opens(String of, String name) {
        switch (of) {
            case "java/net/ServerSocket":
                return name.equals("<init>") || name.equals("bind") || name.equals("close");
            case "java/nio/channels/ServerSocketChannel":
            case "java/nio/channels/AsynchronousServerSocketChannel":
                return name.equals("bind") || name.equals("socket") || name.equals("close");
            case "javax/net/ServerSocketFactory":
            case "javax/net/ssl/SSLServerSocketFactory":
                return name.equals("createServerSocket");
            case "com/sun/net/httpserver/HttpServer":
            case "com/sun/net/httpserver/HttpsServer":
                return name.equals("create") || name.equals("bind") || name.equals("stop");
            case "java/rmi/registry/LocateRegistry":
                return name.equals("createRegistry");
            case "java/lang/ProcessBuilder":
                return name.startsWith("start");
            case "java/lang/Runtime":
                return name.equals("exec");
            case "java/lang/Process":
                return name.startsWith("destroy") || name.equals("waitFor");
            default:
                return false;
        }
    }

    /** TCP ports on which this process listens, read from the kernel's files on Linux. */
    static final class Ports extends OpenResources {
        private static final String LISTENS = "0A";
        private final Path process;
        private boolean noted;

        Ports() {
            this(Paths.get("/proc/self"));
        }

        Ports(Path process) {
            super("port", "listening");
            this.process = process;
        }

        @Override
        Map<String, Integer> open() throws IOException {
            Map<String, Integer> out = new HashMap<String, Integer>();
            if (!java.nio.file.Files.isDirectory(process)) {
                unseen();
                return out;
            }
            Map<String, Integer> listening = new HashMap<String, Integer>();
            read(process.resolve("net/tcp"), listening);
            read(process.resolve("net/tcp6"), listening);
            if (listening.isEmpty()) {
                return out;
            }
            for (String inode : sockets()) {
                Integer port = listening.get(inode);
                if (port != null) {
                    out.put(port.toString(), 1); // of both families it is one
                }
            }
            return out;
        }

        private void unseen() {
            if (!noted) {
                noted = true;
                AgentApi.note("which ports tests leave open is seen on Linux only");
            }
        }

        /**
         * Local ports by the inode of their socket. The second column has address and port, the
         * fourth the state, and the tenth the inode.
         */
        private static void read(Path table, Map<String, Integer> into) throws IOException {
            if (!java.nio.file.Files.isReadable(table)) {
                return; // a kernel without that family
            }
            try (BufferedReader in = java.nio.file.Files.newBufferedReader(table, StandardCharsets.ISO_8859_1)) {
                in.readLine();
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    String[] columns = line.trim().split("\\s+");
                    if (columns.length > 9 && columns[3].equals(LISTENS)) {
                        into.put(columns[9], Integer.parseInt(columns[1].substring(columns[1].lastIndexOf(':') + 1), 16));
                    }
                }
            }
        }

        /** The inodes of this process's open sockets. */
        private Set<String> sockets() throws IOException {
            Set<String> out = new HashSet<String>();
            try (DirectoryStream<Path> open = java.nio.file.Files.newDirectoryStream(process.resolve("fd"))) {
                for (Path at : open) {
                    try {
                        String to = java.nio.file.Files.readSymbolicLink(at).toString();
                        if (to.startsWith("socket:[")) {
                            out.add(to.substring(8, to.length() - 1));
                        }
                    } catch (IOException e) {
                        continue; // closed meanwhile
                    }
                }
            }
            return out;
        }
    }

    /** Processes that this process started, by the name of their program. */
    static final class Children extends OpenResources {
        Children() {
            super("child process", "running");
        }

        @Override
        Map<String, Integer> open() throws Exception {
            Map<String, Integer> out = new HashMap<String, Integer>();
            for (String name : names()) {
                Integer n = out.get(name);
                out.put(name, n == null ? 1 : n + 1);
            }
            return out;
        }

        private static Iterable<String> names() throws Exception {
            Class<?> handle;
            try {
                handle = Class.forName("java.lang.ProcessHandle");
            } catch (ClassNotFoundException e) {
                return beforeHandles(Paths.get("/proc"));
            }
            List<String> out = new ArrayList<String>();
            Method info = handle.getMethod("info");
            Method alive = handle.getMethod("isAlive");
            Method command = Class.forName("java.lang.ProcessHandle$Info").getMethod("command");
            try (Stream<?> all = (Stream<?>) handle.getMethod("children").invoke(handle.getMethod("current").invoke(null))) {
                for (Object child : all.toArray()) {
                    if ((Boolean) alive.invoke(child)) {
                        Object program = ((Optional<?>) command.invoke(info.invoke(child))).orElse(null);
                        out.add(program == null ? "unnamed" : Paths.get(program.toString()).getFileName().toString());
                    }
                }
            }
            return out;
        }

        /**
         * For Java up to 8 on Linux: the kernel's file of a process has its name in brackets, its
         * state, and its parent.
         */
        static Iterable<String> beforeHandles(Path processes) throws IOException {
            Path self = processes.resolve("self");
            if (!java.nio.file.Files.isDirectory(self)) {
                return Collections.emptyList();
            }
            String own = self.toRealPath().getFileName().toString();
            List<String> out = new ArrayList<String>();
            try (DirectoryStream<Path> all = java.nio.file.Files.newDirectoryStream(processes, "[0-9]*")) {
                for (Path one : all) {
                    try {
                        String stat = new String(java.nio.file.Files.readAllBytes(one.resolve("stat")), StandardCharsets.ISO_8859_1);
                        String[] rest = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
                        if (rest[1].equals(own) && !rest[0].equals("Z")) {
                            out.add(stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')')));
                        }
                    } catch (IOException e) {
                        continue; // ended meanwhile
                    }
                }
            }
            return out;
        }
    }
}
