package io.odfix.state;

/** Resolves a field that code names (JVM specification, 5.4.3.2). */
final class FieldResolver {
    private FieldResolver() {}

    /** @return null if the field is the JDK's or left out */
    static Statics.Fld field(Sites.Site site) throws ClassNotFoundException {
        ClassLoader loader = site.from.loader.get();
        if (loader == null) {
            return null;
        }
        // This loader linked the code that names the field, so the JVM knows the answer and calls
        // no loader.
        return in(Class.forName(site.owner.replace('/', '.'), false, loader), site.field);
    }

    private static Statics.Fld in(Class<?> c, String field) {
        for (Class<?> at = c; at != null; at = at.getSuperclass()) {
            if (ofJdk(at)) {
                return null;
            }
            Statics.Fld found = Statics.of(at).fields.get(field);
            if (found != null) {
                return found;
            }
            for (Class<?> parent : at.getInterfaces()) {
                Statics.Fld inherited = in(parent, field);
                if (inherited != null) {
                    return inherited;
                }
            }
        }
        return null;
    }

    /** True in a JDK up to 8. */
    static boolean beforeModules() {
        return System.getProperty("java.specification.version", "").startsWith("1.");
    }

    static boolean ofJdk(Class<?> c) {
        return Weaver.ofJdk(c.getClassLoader());
    }

    /** True if the field's class has no static initialiser, so that it began as null or zero. */
    static boolean beginsUnset(Sites sites, Sites.Site site, Statics.Fld found) {
        Class<?> owner = found.owner();
        return owner != null
                && sites.isPlain(sites.loader(owner.getClassLoader()), owner.getName().replace('.', '/'));
    }
}
