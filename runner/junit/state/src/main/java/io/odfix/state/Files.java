package io.odfix.state;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;

/**
 * Files below the working folder of the tests and below requested folders, and directly in the
 * folder for temporary files (Gyori et al., ISSTA 2015, section 3.5). They are compared after a
 * test in which observed code called something that can write files. Other comparisons, and all
 * comparisons of folders of sources and classes, take at most a small part of the time; a change
 * that they find may be due to an earlier test. Small files are compared by content while they are
 * few, others by size and time. If there are too many files, none are reported from then on,
 * because it is chance which ones are listed first.
 */
class Files extends ExternalState {
    /**
     * The maximal number of bytes, of one file and of all files of a run, that are read to compare
     * contents.
     */
    private static final int LONGEST = 1 << 16;
    private static final int MOST_READ = 1 << 20;
    /** A comparison that no call requires takes at most this part of the time. */
    static final int SHARE = 100;

    private final Path here;
    private final Path temporary;
    /** Further folders that are compared completely. */
    private final List<Path> addRoot = new ArrayList<Path>();
    private final int most;
    /** Files that were in the temporary folder at first. Other processes may use them, too. */
    private final Set<Path> others = new HashSet<Path>();
    private Map<Path, Seen> seen = new HashMap<Path, Seen>();
    /** The same for the folders that tests rarely write to. */
    private Map<Path, Seen> rare = new HashMap<Path, Seen>();
    private Map<String, Object> reported = new HashMap<String, Object>();
    /** The present comparison has found a file that the last one did not find. */
    private boolean fresh;
    private boolean began;
    private boolean asked;
    private long looked;
    private long took;
    private int read;
    private boolean late;
    /** There are too many files. */
    private boolean many;

    /** A file as the comparison found it. */
    private static final class Seen {
        final String name;
        final long size;
        final long time;
        final NamedObject text;

        Seen(String name, long size, long time, NamedObject text) {
            this.name = name;
            this.size = size;
            this.time = time;
            this.text = text;
        }
    }

    Files() {
        this(java.util.Collections.<String>emptyList());
    }

    /** @param roots further folders; relative paths start at the tests' working folder */
    Files(List<String> roots) {
        this(Paths.get(System.getProperty("user.dir", ".")).toAbsolutePath(), Paths.get(System.getProperty("java.io.tmpdir", "/tmp")).toAbsolutePath(), 20000);
        for (String root : roots) {
            addRoot(here.resolve(root).normalize());
        }
    }

    final void addRoot(Path root) {
        addRoot.add(root);
    }

    /** @param most files and folders, of those in sources and classes, and of all others */
    Files(Path here, Path temporary, int most) {
        super("file");
        this.here = here;
        this.temporary = temporary;
        this.most = most;
    }

    /** In nanoseconds. */
    long now() {
        return System.nanoTime();
    }

    /** The content of a small file. */
    byte[] bytes(Path at) throws IOException {
        return java.nio.file.Files.readAllBytes(at);
    }

    /** Observed code called something that can write files. */
    void asked() {
        asked = true;
    }

    @Override
    Map<String, Object> look() throws IOException {
        long now = now();
        boolean due = !began || now - looked >= SHARE * took;
        if (many || !due && !asked) {
            return reported;
        }
        Map<Path, Seen> all = new HashMap<Path, Seen>(2 * seen.size());
        List<Path> rareFolders = new ArrayList<Path>();
        below(here, all, rareFolders);
        for (Path root : addRoot) {
            below(root, all, null);
        }
        boolean inMade = due && rareChanged(rareFolders);
        if (!began || asked) {
            temporaries(all);
        } else {
            keep(all);
        }
        if (many) {
            AgentApi.note("there are more than " + most + " files and folders where the tests run: changes of files are not reported of");
            seen = new HashMap<Path, Seen>();
            rare = seen;
            return reported;
        }
        Map<String, Object> out = fresh || all.size() != seen.size() ? named(all) : reported;
        fresh = false;
        if (began && !late && (inMade || !asked && !out.equals(reported))) {
            late = true;
            noteUnseenWriter();
        }
        seen = all;
        reported = out.equals(reported) ? reported : out;
        began = true;
        asked = false;
        if (due) {
            looked = now();
            took = looked - now;
        }
        return reported;
    }

    /** Files changed, but the test that changed them is unknown. */
    void noteUnseenWriter() {
        AgentApi.note("files changed that no observed code was seen to write: they are reported for the test after which the change was found, "
                + "and a test directly before may have written them");
    }

    /** Compares the folders that tests rarely write to. True if something has changed there. */
    private boolean rareChanged(List<Path> rareFolders) {
        Map<Path, Seen> rest = new HashMap<Path, Seen>(2 * rare.size());
        for (Path root : rareFolders) {
            below(root, rest, null);
        }
        boolean differs = rest.size() != rare.size();
        fresh |= differs;
        for (Map.Entry<Path, Seen> e : rest.entrySet()) {
            Seen was = rare.get(e.getKey());
            differs |= was == null || was != e.getValue() && !was.text.equals(e.getValue().text);
        }
        rare = rest;
        return differs;
    }

    private Map<String, Object> named(Map<Path, Seen> all) {
        Map<String, Object> out = new HashMap<String, Object>(2 * (all.size() + rare.size()));
        for (Seen one : all.values()) {
            out.put(one.name, one.text);
        }
        for (Seen one : rare.values()) {
            out.put(one.name, one.text);
        }
        return out;
    }

    /** @param rareFolders takes the folders that are not entered, or null */
    private void below(Path root, Map<Path, Seen> into, List<Path> rareFolders) {
        Deque<Path> open = new ArrayDeque<Path>();
        open.push(root);
        while (!open.isEmpty() && !many) {
            try (DirectoryStream<Path> list = java.nio.file.Files.newDirectoryStream(open.pop())) {
                for (Path at : list) {
                    String name = at.getFileName().toString();
                    if (name.equals(".git") || name.equals("node_modules")) {
                        continue;
                    }
                    if (into.size() >= most) {
                        many = true;
                        return;
                    }
                    if (look(at, into) && rareFolders != null && rarelyWritten(at)) {
                        rareFolders.add(at);
                    } else if (into.get(at) != null && into.get(at).size < 0) {
                        open.push(at);
                    }
                }
            } catch (IOException e) {
                continue; // removed meanwhile, or unreadable
            }
        }
    }

    /** True for a folder. */
    private boolean look(Path at, Map<Path, Seen> into) {
        try {
            BasicFileAttributes is = java.nio.file.Files.readAttributes(at, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            long time = is.isDirectory() ? 0 : is.lastModifiedTime().to(java.util.concurrent.TimeUnit.NANOSECONDS);
            Seen was = seen.get(at);
            was = was == null ? rare.get(at) : was;
            boolean same = was != null && was.time == time && was.size == (is.isDirectory() ? -1 : is.size());
            into.put(at, same ? was : see(at, is, time));
            return is.isDirectory();
        } catch (IOException e) {
            return false;
        }
    }

    private Seen see(Path at, BasicFileAttributes is, long time) throws IOException {
        fresh = true;
        if (is.isDirectory()) {
            return new Seen(name(at), -1, 0, new NamedObject("a folder", 0));
        }
        long size = is.size();
        boolean reads = is.isRegularFile() && size <= LONGEST && read + size <= MOST_READ && worth(at);
        return new Seen(name(at), size, time, new NamedObject(is.isSymbolicLink() ? "a link" : size + " bytes", reads ? sum(at, (int) size, time) : time));
    }

    private String name(Path at) {
        if (at.startsWith(here)) {
            return here.relativize(at).toString();
        }
        return at.startsWith(temporary) ? "${java.io.tmpdir}/" + temporary.relativize(at) : at.toString();
    }

    /** True for paths below a folder that is compared each time. */
    private boolean looked(Path at) {
        boolean is = at.startsWith(here);
        for (Path root : addRoot) {
            is |= at.startsWith(root);
        }
        return is;
    }

    /**
     * Folders of sources, of build output, and hidden folders of tools. Tests rarely write there.
     */
    private boolean rarelyWritten(Path at) {
        Path top = here.relativize(at);
        String name = at.getFileName().toString();
        return top.getNameCount() == 1 && (name.equals("src") || name.startsWith(".")) || top.getNameCount() == 2 && name.endsWith("classes");
    }

    private boolean worth(Path at) {
        if (at.startsWith(here)) {
            for (Path in = at.getParent(); !in.equals(here); in = in.getParent()) {
                if (rarelyWritten(in)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** @param time the value for an unreadable file */
    private long sum(Path at, int size, long time) throws NoSuchFileException {
        read += size;
        try {
            CRC32 sum = new CRC32();
            sum.update(bytes(at));
            return sum.getValue();
        } catch (NoSuchFileException e) {
            throw e; // removed meanwhile
        } catch (IOException e) {
            return time;
        }
    }

    private void temporaries(Map<Path, Seen> into) throws IOException {
        if (temporary.startsWith(here)) {
            return;
        }
        try (DirectoryStream<Path> list = java.nio.file.Files.newDirectoryStream(temporary)) {
            for (Path at : list) {
                if (!began) {
                    others.add(at);
                } else if (!others.contains(at) && !at.getFileName().toString().startsWith("hsperfdata")) {
                    many |= into.size() >= most;
                    look(at, into);
                }
            }
        }
    }

    private void keep(Map<Path, Seen> into) {
        for (Map.Entry<Path, Seen> e : seen.entrySet()) {
            if (!looked(e.getKey())) {
                into.put(e.getKey(), e.getValue());
            }
        }
    }

    /** Classes and methods of the JDK that can write files, or start something that can. */
    static boolean writes(String of, String name, String type) {
        switch (of) {
            case "java/io/FileOutputStream":
            case "java/io/FileWriter":
            case "java/io/RandomAccessFile":
            case "java/util/logging/FileHandler":
                return name.equals("<init>");
            case "java/io/PrintWriter":
            case "java/io/PrintStream":
            case "java/util/Formatter":
                return name.equals("<init>") && (type.startsWith("(Ljava/io/File;") || type.startsWith("(Ljava/lang/String;"));
            case "java/io/File":
                return name.startsWith("create") || name.startsWith("delete") || name.startsWith("mkdir") || name.startsWith("renameTo");
            case "java/nio/file/Files":
                return name.startsWith("create") || name.startsWith("delete") || name.startsWith("write") || name.startsWith("new")
                        || name.equals("copy") || name.equals("move");
            case "java/nio/channels/FileChannel":
            case "java/nio/channels/AsynchronousFileChannel":
                return name.equals("open");
            case "java/lang/ProcessBuilder":
                return name.equals("start");
            case "java/lang/Runtime":
                return name.equals("exec");
            default:
                return false;
        }
    }
}
