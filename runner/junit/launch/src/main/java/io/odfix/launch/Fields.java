package io.odfix.launch;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.project.MavenProject;

/**
 * The fields of a configured mojo, inherited ones included. The fields differ between versions of a
 * plugin, so a field that is missing or has another type is no error.
 */
final class Fields {
    private final Object mojo;

    Fields(Object mojo) {
        this.mojo = mojo;
    }

    /**
     * Every field with a plain value (texts, numbers, files, and lists and maps of them), without
     * nulls.
     */
    Map<String, Object> plain() {
        Map<String, Object> values = all();
        values.values().removeIf(value -> !Json.isPlain(value));
        return values;
    }

    /** Every field that can be read, without nulls. */
    Map<String, Object> all() {
        Map<String, Object> values = new TreeMap<>();
        for (Class<?> c = mojo.getClass(); c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                Object value = Modifier.isStatic(field.getModifiers()) ? null : read(field);
                if (value != null) {
                    values.putIfAbsent(field.getName(), value);
                }
            }
        }
        return values;
    }

    /** The fields at the beginning of every record of a mojo execution. */
    Map<String, Object> describe(MojoExecutionEvent event) {
        MojoExecution execution = event.getExecution();
        MavenProject project = event.getProject();
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("plugin", execution.getArtifactId());
        record.put("version", execution.getVersion());
        record.put("goal", execution.getGoal());
        record.put("execution", execution.getExecutionId());
        record.put("module", project.getGroupId() + ":" + project.getArtifactId());
        record.put("basedir", project.getBasedir());
        record.put("testSourceRoots", project.getTestCompileSourceRoots());
        record.put("testOutput", project.getBuild().getTestOutputDirectory());
        record.put("mainOutput", project.getBuild().getOutputDirectory());
        record.put("parameters", plain());
        if (mojo != event.getMojo()) {
            record.put("wrappedBy", Wrapper.origin(event.getMojo()));
        }
        return record;
    }

    boolean has(String name) {
        return find(name) != null;
    }

    /** The value of the field, or null if there is none. */
    Object get(String name) {
        Field field = find(name);
        return field == null ? null : read(field);
    }

    /** Sets the field if it exists and can have the value. Returns whether it did. */
    boolean set(String name, Object value) {
        Field field = find(name);
        if (field == null) {
            return false;
        }
        try {
            field.setAccessible(true);
            field.set(mojo, fit(value, field.getType()));
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }

    /**
     * The result of a method without parameters, whatever its visibility. Null if it is missing or
     * fails.
     */
    Object call(String name) {
        for (Class<?> c = mojo.getClass(); c != null; c = c.getSuperclass()) {
            try {
                Method method = c.getDeclaredMethod(name);
                method.setAccessible(true);
                return method.invoke(mojo);
            } catch (NoSuchMethodException e) {
                continue;
            } catch (ReflectiveOperationException | RuntimeException e) {
                return null;
            }
        }
        return null;
    }

    /** The path of a tool of the mojo's toolchain, or null if it has none. */
    String tool(String name) {
        Object toolchain = call("getToolchain");
        if (toolchain == null) {
            return null;
        }
        try {
            return (String) toolchain.getClass().getMethod("findTool", String.class).invoke(toolchain, name);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    private static Object fit(Object value, Class<?> type) {
        if (value instanceof Integer && type == String.class) {
            return value.toString();
        }
        return value;
    }

    private Field find(String name) {
        for (Class<?> c = mojo.getClass(); c != null; c = c.getSuperclass()) {
            try {
                return c.getDeclaredField(name);
            } catch (NoSuchFieldException e) {
                continue;
            }
        }
        return null;
    }

    private Object read(Field field) {
        try {
            field.setAccessible(true);
            return field.get(mojo);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
