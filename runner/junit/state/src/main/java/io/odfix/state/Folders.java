package io.odfix.state;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The class path's folders of classes, and the packages in them. By the names, most other classes
 * are recognised as not the project's, so their static fields need not be woven. Once a class comes
 * from another folder, every class may be the project's.
 */
final class Folders {
    private final List<File> folders = new ArrayList<File>();
    private final Map<String, Boolean> packages = new HashMap<String, Boolean>();
    /** The last folder that was looked up, as in a URL. */
    private String met = "";
    private boolean all;

    /** @param classPath as the JVM has it; empty if every class may be the project's */
    Folders(String classPath) {
        for (String entry : classPath.split(File.pathSeparator)) {
            File folder = entry.isEmpty() ? null : canonical(new File(entry));
            if (folder != null && folder.isDirectory()) {
                folders.add(folder);
            }
        }
        all = !folders.isEmpty();
    }

    private static File canonical(File file) {
        try {
            return file.getCanonicalFile();
        } catch (IOException e) {
            return file.getAbsoluteFile();
        }
    }

    /** Records the folder from which a class was loaded, given by the path of a URL. */
    synchronized void met(String folder) {
        if (all && !folder.equals(met)) {
            met = folder;
            all = isOne(folder);
        }
    }

    private boolean isOne(String folder) {
        try {
            return folders.contains(canonical(named(folder)));
        } catch (SecurityException e) {
            return false; // the tests' security manager may forbid it
        }
    }

    /** Some class loaders make URLs of folders without the necessary escapes. */
    private static File named(String path) {
        try {
            return new File(URI.create("file:" + path));
        } catch (IllegalArgumentException e) {
            return new File(path);
        }
    }

    /** False for a class, by its internal name, whose package lies in none of the folders. */
    synchronized boolean mayHold(String internal) {
        if (!all) {
            return true;
        }
        String of = internal.substring(0, internal.lastIndexOf('/') + 1);
        Boolean known = packages.get(of);
        if (known == null) {
            known = find(of);
            packages.put(of, known);
        }
        return known;
    }

    private boolean find(String of) {
        try {
            for (File folder : folders) {
                if (new File(folder, of).isDirectory()) {
                    return true;
                }
            }
            return false;
        } catch (SecurityException e) {
            return true;
        }
    }
}
