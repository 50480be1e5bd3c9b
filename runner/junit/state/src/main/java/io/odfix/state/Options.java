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
 * Which part of the heap is captured, by the names that PolDet gives its options (Gyori et al.,
 * ISSTA 2015, section 4.5). Values are lists, a line each.
 */
final class Options {
    /** No name of a package or class has any of these in it. */
    private static final Pattern EXPRESSION = Pattern.compile("[\\\\*+?()\\[\\]{}|^]");

    /**
     * Packages, and expressions over the names of classes, whose static fields are roots;
     * empty: those of the project's own class folders.
     */
    private final List<Pattern> include = new ArrayList<Pattern>();
    /** Of "Class.field": static fields that are no roots. */
    private final List<Pattern> excludeRoots;
    /** Of "Class.field": fields of objects that are not followed. */
    private final List<Pattern> excludeFields;
    /** Folders whose files are compared beside the usual ones. */
    final List<String> fileRoots;
    /** The file of the classes that are initialised before the first test, or null. */
    final String load;
    /** The file to which classes are written when they are met, or null. */
    final String collect;
    /**
     * Only roots that were there before a test are compared, as PolDet's lazy class loading has it.
     */
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

    /** True where the classes whose static fields are roots are given by name. */
    boolean includes() {
        return !include.isEmpty();
    }

    /**
     * True of a class that is of one of the packages, or below it, or fits one of the expressions.
     */
    boolean includes(String name) {
        return matches(include, name);
    }

    boolean excludesRoot(String name) {
        return matches(excludeRoots, name);
    }

    /** True where some roots, or fields on the way from them, are left out. */
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
