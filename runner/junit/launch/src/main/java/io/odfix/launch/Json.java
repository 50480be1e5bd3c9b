package io.odfix.launch;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Writes maps, collections and simple values as JSON. Maven offers no JSON library to extensions.
 */
final class Json {
    private Json() {
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value);
        return out.append('\n').toString();
    }

    /** Whether this class can write {@code value} without loss, at any depth. */
    static boolean isPlain(Object value) {
        if (value instanceof Map) {
            return isPlain(((Map<?, ?>) value).keySet()) && isPlain(((Map<?, ?>) value).values());
        }
        if (value instanceof Object[]) {
            return isPlain(Arrays.asList((Object[]) value));
        }
        if (value instanceof Collection) {
            for (Object element : (Collection<?>) value) {
                if (!isPlain(element)) {
                    return false;
                }
            }
            return true;
        }
        return value == null || value instanceof CharSequence || value instanceof Boolean || value instanceof Number
                || value instanceof Enum || value instanceof File || value instanceof Path;
    }

    private static void append(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long) {
            out.append(value);
        } else if (value instanceof Properties) {
            // Its defaults count too, and only stringPropertyNames returns them.
            Properties properties = (Properties) value;
            Map<String, Object> all = new TreeMap<>();
            properties.stringPropertyNames().forEach(key -> all.put(key, properties.getProperty(key)));
            appendMap(out, all);
        } else if (value instanceof Map) {
            appendMap(out, (Map<?, ?>) value);
        } else if (value instanceof Collection) {
            appendList(out, (Collection<?>) value);
        } else if (value instanceof Object[]) {
            appendList(out, Arrays.asList((Object[]) value));
        } else {
            appendString(out, value.toString());
        }
    }

    private static void appendMap(StringBuilder out, Map<?, ?> map) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            appendString(out, String.valueOf(entry.getKey()));
            out.append(':');
            append(out, entry.getValue());
            separator = ",\n";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void appendList(StringBuilder out, Collection<?> elements) {
        String separator = "[";
        for (Object element : elements) {
            out.append(separator);
            append(out, element);
            separator = ",";
        }
        out.append(elements.isEmpty() ? "[]" : "]");
    }

    private static void appendString(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
