package io.odfix.state;

/** The texts of values for users. */
final class ValueText {
    static final String ABSENT = "absent";
    private static final int LONGEST = 100;

    private ValueText() {}

    /**
     * A value that stays unchanged: a mutable object is copied. Only for classes of {@link
     * Shape.Kind#TEXT}.
     */
    static Object value(Object o) {
        if (o instanceof java.util.Date) {
            return new java.util.Date(((java.util.Date) o).getTime());
        }
        return o instanceof StringBuilder || o instanceof StringBuffer ? o.toString() : o;
    }

    static String of(Snapshot in, long code) {
        if (code == Snapshot.CUT) {
            return "…";
        } else if (code == Snapshot.NULL) {
            return "null";
        } else if (code < 0) {
            return text(in.text(code));
        }
        return node(in, (int) code - 1);
    }

    static String text(Object value) {
        if (value instanceof String) {
            return '"' + clip(escaped((String) value)) + '"';
        } else if (value instanceof Character) {
            return "'" + escaped(value.toString()) + "'";
        } else if (value instanceof NamedObject) {
            String name = ((NamedObject) value).name;
            return name.indexOf(' ') < 0 ? shorter(name) : name; // a class's name, or words
        }
        String plain = clip(escaped(value.toString()));
        return plain.isEmpty() ? "\"\"" : plain;
    }

    static String number(long bits, Class<?> type) {
        if (type == boolean.class) {
            return bits != 0 ? "true" : "false";
        } else if (type == char.class) {
            return "'" + escaped(String.valueOf((char) bits)) + "'";
        } else if (type == float.class) {
            return Float.toString(Float.intBitsToFloat((int) bits));
        } else if (type == double.class) {
            return Double.toString(Double.longBitsToDouble(bits));
        }
        return Long.toString(bits);
    }

    private static String node(Snapshot in, int node) {
        Shape shape = in.shape(node);
        int at = in.begins(node);
        if (in.label(node) != null) {
            return in.label(node);
        } else if (shape.kind == Shape.Kind.OBJECTS || shape.kind == Shape.Kind.NUMBERS) {
            String type = array(shape.name);
            int dims = type.indexOf('[');
            return at < 0 ? type : type.substring(0, dims + 1) + in.at(at) + type.substring(dims + 1);
        } else if (shape.content != null && at >= 0) {
            long size = in.at(at + shape.prims.length + shape.refs.length);
            return shorter(shape.name) + " of " + (size < 0 ? -1 - size + " or more" : size);
        }
        return shorter(shape.name);
    }

    /** "[[I" as "int[][]". */
    private static String array(String name) {
        int dims = name.lastIndexOf('[') + 1;
        String element = name.charAt(dims) == 'L'
                ? shorter(name.substring(dims + 1, name.length() - 1))
                : PrimitiveArrays.type(name.substring(dims - 1)).getName();
        StringBuilder out = new StringBuilder(element);
        for (int i = 0; i < dims; i++) {
            out.append("[]");
        }
        return out.toString();
    }

    /** A class's name without its package. Names that the JVM generates are replaced by words. */
    static String shorter(String name) {
        int lambda = name.indexOf("$$Lambda");
        if (lambda >= 0) {
            return "lambda of " + shorter(name.substring(0, lambda));
        }
        int slash = name.indexOf('/');
        String plain = slash >= 0 ? name.substring(0, slash) : name;
        plain = plain.substring(plain.lastIndexOf('.') + 1);
        if (plain.startsWith("$Proxy")) {
            return "proxy";
        }
        return plain.replace('$', '.');
    }

    static String clip(String s) {
        return s.length() <= LONGEST ? s : s.substring(0, LONGEST - 20) + "…" + s.substring(s.length() - 19);
    }

    private static String escaped(String s) {
        String in = s.length() <= 4 * LONGEST ? s : clip(s);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < in.length(); i++) {
            char c = in.charAt(i);
            switch (c) {
                case '"':
                    out.append("\\\"");
                    break;
                case '\\':
                    out.append("\\\\");
                    break;
                case '\n':
                    out.append("\\n");
                    break;
                case '\t':
                    out.append("\\t");
                    break;
                default:
                    out.append(Character.isISOControl(c) ? String.format("\\u%04x", (int) c) : String.valueOf(c));
            }
        }
        return out.toString();
    }
}
