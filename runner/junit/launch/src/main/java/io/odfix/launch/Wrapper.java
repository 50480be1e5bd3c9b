package io.odfix.launch;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.codehaus.plexus.classworlds.realm.ClassRealm;

/**
 * Another extension's object that Maven runs in place of a mojo, and that runs the mojo. Develocity
 * makes such ones for its build cache: proxies whose handler holds the mojo.
 */
final class Wrapper {
    /** How many references lead from a wrapper to its mojo at most. */
    private static final int DISTANCE = 3;

    private Wrapper() {
    }

    /**
     * The object of the class with this name that is {@code mojo} itself or that it wraps. Returns
     * {@code mojo} if there is none.
     */
    static Object unwrap(Object mojo, String className) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Collection<Object> near = Collections.singletonList(mojo);
        for (int distance = 0; distance <= DISTANCE; distance++) {
            List<Object> next = new ArrayList<>();
            for (Object object : near) {
                if (isA(object, className)) {
                    return object;
                }
                if (seen.add(object)) {
                    next.addAll(references(object));
                }
            }
            near = next;
        }
        return mojo;
    }

    /**
     * The extension that the wrapper's class is from, such as {@code
     * com.gradle:develocity-maven-extension:2.5.0}. The name of the class if it is from none.
     */
    static String origin(Object wrapper) {
        Class<?> type = isProxy(wrapper) ? Proxy.getInvocationHandler(wrapper).getClass() : wrapper.getClass();
        if (type.getClassLoader() instanceof ClassRealm) {
            String realm = ((ClassRealm) type.getClassLoader()).getId();
            if (realm.startsWith("coreExtension>") || realm.startsWith("extension>")) {
                return realm.substring(realm.indexOf('>') + 1);
            }
        }
        return type.getName();
    }

    private static boolean isA(Object object, String className) {
        for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
            if (c.getName().equals(className)) {
                return true;
            }
        }
        return false;
    }

    private static Collection<Object> references(Object object) {
        if (isProxy(object)) {
            return Collections.singletonList(Proxy.getInvocationHandler(object));
        }
        boolean ofTheJdk = object.getClass().getClassLoader() == null;
        return ofTheJdk ? Collections.emptyList() : new Fields(object).all().values();
    }

    private static boolean isProxy(Object object) {
        return Proxy.isProxyClass(object.getClass());
    }
}
