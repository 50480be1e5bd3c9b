package io.odfix.harness.order;

/** Test ids in the format of docs/harness-protocol.md. */
public final class Ids {
    private Ids() {}

    /**
     * {@code class#method}, after {@code launched>} if the class is not part of the launched class.
     */
    public static String of(String launched, String testClass, String method) {
        String id = oneLine(testClass + "#" + method);
        boolean part = testClass.equals(launched) || testClass.startsWith(launched + "$");
        return part ? id : launched + ">" + id;
    }

    /** The class before the {@code #}, or the launched class if the id names both. */
    public static String outer(String id) {
        String c = testClass(id);
        int by = c.indexOf('>');
        return by < 0 ? c : c.substring(0, by);
    }

    public static boolean throughSuite(String id) {
        return testClass(id).indexOf('>') >= 0;
    }

    /** The part after the {@code #}, or the empty string. */
    public static String method(String id) {
        int hash = id.indexOf('#');
        return hash < 0 ? "" : id.substring(hash + 1);
    }

    private static String testClass(String id) {
        int hash = id.indexOf('#');
        return hash < 0 ? id : id.substring(0, hash);
    }

    /**
     * Names of parameterised tests may contain anything. Orders are stored with one id per line, or
     * one order per line separated by tabs. Half of a surrogate pair would change in UTF-8.
     */
    private static String oneLine(String id) {
        StringBuilder plain = new StringBuilder(id.length());
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < id.length() && Character.isLowSurrogate(id.charAt(i + 1))) {
                plain.append(c).append(id.charAt(++i));
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                plain.append(escaped(c));
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    private static String escaped(char c) {
        int known = "\t\n\r".indexOf(c);
        return known >= 0 ? "\\" + "tnr".charAt(known) : String.format("\\u%04x", (int) c);
    }

    /**
     * The simple name of a type in the format of Class.getName: {@code [Ljava.lang.String;} becomes
     * {@code String[]}.
     */
    public static String simpleType(String name) {
        int dims = 0;
        while (dims < name.length() && name.charAt(dims) == '[') {
            dims++;
        }
        String element = name.substring(dims);
        if (dims > 0) {
            element = element.length() == 1
                    ? primitive(element.charAt(0))
                    : element.substring(1, element.length() - (element.endsWith(";") ? 1 : 0));
        }
        int cut = Math.max(element.lastIndexOf('.'), element.lastIndexOf('$'));
        StringBuilder simple = new StringBuilder(element.substring(cut + 1));
        for (int i = 0; i < dims; i++) {
            simple.append("[]");
        }
        return simple.toString();
    }

    private static String primitive(char code) {
        int at = "ZBCSIJFD".indexOf(code);
        String[] names = {"boolean", "byte", "char", "short", "int", "long", "float", "double"};
        return at < 0 ? String.valueOf(code) : names[at];
    }
}
