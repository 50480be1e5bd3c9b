package io.odfix.state;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The captured part of the heap. The options have PolDet's names (Gyori et al., ISSTA 2015, section
 * 4.5). A value is a list with one entry a line.
 */
final class Options {
    /** No name of a package or class contains these characters. */
    private static final Pattern EXPRESSION = Pattern.compile("[\\\\*+?()\\[\\]{}|^]");

    /**
     * Packages, and expressions for names of classes, whose static fields are roots. Empty: the
     * classes in the project's own class folders.
     */
    private final List<Pattern> include = new ArrayList<Pattern>();
    /** "Class.field" of static fields that are not roots. */
    private final List<Pattern> excludeRoots;
    /** "Class.field" of instance fields that are not followed. */
    private final List<Pattern> excludeFields;
    /** Folders whose files are compared in addition to the usual ones. */
    final List<String> fileRoots;
    /** The file of the classes that are initialised before the first test, or null. */
    final String load;
    /** The file to which the names of initialised classes are written, or null. */
    final String collect;
    /** Only roots that existed before a test are compared, as in PolDet's lazy class loading. */
    final boolean lazy;

    /** Lines that write into objects are recorded, too. */
    final boolean lines;

    Options(Properties from) throws IOException {
        for (String line : list(from, "include_roots")) {
            boolean expression = EXPRESSION.matcher(line).find();
            include.add(expression ? pattern("include_roots", line) : Pattern.compile(Pattern.quote(line) + (line.endsWith(".") ? ".*" : "(\\..*)?")));
        }
        excludeRoots = patterns(from, "exclude_roots");
        excludeFields = patterns(from, "exclude_fields");
        fileRoots = list(from, "file_roots");
        lines = Boolean.parseBoolean(from.getProperty("lines"));
        String loading = from.getProperty("class_loading", "");
        lazy = "lazy".equals(loading) || "eager".equals(loading);
        load = "eager".equals(loading) ? from.getProperty("classes") : null;
        collect = "collect".equals(loading) ? from.getProperty("classes") : null;
    }

    static Options read(String file) throws IOException {
        Properties from = new Properties();
        try (Reader in = new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8)) {
            from.load(in);
        }
        return new Options(from);
    }

    private static List<String> list(Properties from, String key) {
        List<String> out = new ArrayList<String>();
        for (String line : from.getProperty(key, "").split("\n")) {
            if (!line.trim().isEmpty()) {
                out.add(line.trim());
            }
        }
        return out;
    }

    private static List<Pattern> patterns(Properties from, String key) throws IOException {
        List<Pattern> out = new ArrayList<Pattern>();
        for (String line : list(from, key)) {
            out.add(pattern(key, line));
        }
        return out;
    }

    private static Pattern pattern(String key, String line) throws IOException {
        try {
            return Pattern.compile(line);
        } catch (PatternSyntaxException e) {
            throw new IOException(key + ": " + line + " is no regular expression", e);
        }
    }

    /** True if the classes whose static fields are roots are given by name. */
    boolean includes() {
        return !include.isEmpty();
    }

    /**
     * True for a class that is in one of the packages, or below it, or that matches one of the
     * expressions.
     */
    boolean includes(String name) {
        return matches(include, name);
    }

    boolean excludesRoot(String name) {
        return matches(excludeRoots, name);
    }

    /** True if some roots, or fields below them, are left out. */
    boolean excludes() {
        return !excludeRoots.isEmpty() || !excludeFields.isEmpty();
    }

    boolean excludesField(String name) {
        return matches(excludeFields, name);
    }

    private static boolean matches(List<Pattern> any, String name) {
        for (Pattern p : any) {
            if (p.matcher(name).matches()) {
                return true;
            }
        }
        return false;
    }
}
