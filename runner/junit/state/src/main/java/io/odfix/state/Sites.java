package io.odfix.state;

import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The numbers that woven code uses for static fields, and the fields touched since the last mark. A
 * field has one number for each class loader whose code names it. The field itself is unknown until
 * its class has been loaded.
 */
final class Sites implements IntConsumer {
    static final int READ = 1;
    static final int WRITE = 2;
    /** The same for a class that was being initialised. */
    static final int FIRST_READ = 4;
    static final int FIRST_WRITE = 8;

    private static final int MOST = 1 << 20;

    /** The present knowledge about one class loader. */
    static final class Loader {
        final WeakReference<ClassLoader> loader;
        private final Map<String, Integer> places = new HashMap<String, Integer>();
        /** Woven classes without a static initialiser. Their fields are null or zero at first. */
        private final Set<String> plain = new HashSet<String>();

        Loader(ClassLoader loader) {
            this.loader = new WeakReference<ClassLoader>(loader);
        }
    }

    /** A field as code names it. */
    static final class Site {
        final Loader from;
        final String owner;
        final String field;
        /** The state, or null while it is unknown. */
        ObservedState observed;
        /** It is not observed. */
        boolean unobserved;

        Site(Loader from, String owner, String field) {
            this.from = from;
            this.owner = owner;
            this.field = field;
        }
    }

    private final List<Site> sites = new ArrayList<Site>();
    private final List<Loader> loaders = new ArrayList<Loader>();
    private final ThreadLocal<int[]> depth = new ThreadLocal<int[]>();
    private byte[] seen = new byte[1 << 12];
    private int[] touched = new int[256];
    private int touches;
    private boolean full;
    private Field shared;
    private Field sharedLast;
    /** By place, as in the gate. Null if writers are not recorded. */
    private int[] last;
    private final List<Writer> writers = new ArrayList<Writer>();

    /** @param lines whether the line that last put a field is recorded */
    Sites(boolean lines) {
        last = lines ? new int[seen.length] : null;
    }

    /** @param field the gate's field for this array, and another for the last writers */
    synchronized void shares(Field field, Field lastField) throws IllegalAccessException {
        shared = field;
        sharedLast = lastField;
        share();
    }

    /** A putstatic. */
    static final class Writer {
        private final String owner;
        private final String method;
        private final String file;
        private final int line;
        private final boolean lazy;

        /** @param lazy the method gets the field before it puts it */
        Writer(String owner, String method, String file, int line, boolean lazy) {
            this.owner = owner;
            this.method = method;
            this.file = file;
            this.line = line;
            this.lazy = lazy;
        }

        @Override
        public String toString() {
            String at = file == null ? "" : line > 0 ? "(" + file + ":" + line + ")" : "(" + file + ")";
            return (lazy ? "?" : "") + owner.replace('/', '.') + "." + method + at;
        }
    }

    /** The number of a putstatic, or -1 where writers are not recorded. */
    synchronized int writer(Writer writer) {
        if (last == null || writers.size() >= MOST) {
            return -1;
        }
        writers.add(writer);
        return writers.size();
    }

    /** The putstatic that last put the place. */
    synchronized String writer(int place) {
        int by = last == null || place >= last.length ? 0 : last[place];
        return by == 0 ? null : writers.get(by - 1).toString();
    }

    synchronized Loader loader(ClassLoader of) {
        for (int i = loaders.size() - 1; i >= 0; i--) {
            ClassLoader known = loaders.get(i).loader.get();
            if (known == of) {
                return loaders.get(i);
            } else if (known == null) {
                loaders.remove(i);
            }
        }
        Loader made = new Loader(of);
        loaders.add(made);
        return made;
    }

    /** The number of a field, or -1 where there are too many. */
    synchronized int place(Loader from, String owner, String field) {
        String key = owner + "." + field;
        Integer place = from.places.get(key);
        if (place == null) {
            place = add(new Site(from, owner, field));
            from.places.put(key, place);
        }
        return place;
    }

    /** The number of something that is not a field of a class of the project. */
    synchronized int place(ObservedState observed) {
        Site site = new Site(null, "", observed.name);
        site.observed = observed;
        return add(site);
    }

    private int add(Site site) {
        if (sites.size() >= MOST) {
            if (!full) {
                AgentApi.note("more than " + MOST + " static fields are used; the rest is not observed");
            }
            full = true;
            return -1;
        }
        sites.add(site);
        if (sites.size() > seen.length) {
            seen = Arrays.copyOf(seen, seen.length * 2);
            last = last == null ? null : Arrays.copyOf(last, seen.length);
            share();
        }
        return sites.size() - 1;
    }

    private void share() {
        try {
            if (shared != null) {
                shared.set(null, seen);
            }
            if (sharedLast != null && last != null) {
                sharedLast.set(null, last);
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    synchronized void plain(Loader loader, String owner) {
        loader.plain.add(owner);
    }

    synchronized boolean isPlain(Loader loader, String owner) {
        return loader.plain.contains(owner);
    }

    @Override
    public void accept(int code) {
        if (code < 0) {
            depth()[0] += code == -1 ? 1 : -1;
            return;
        }
        int[] inside = depth.get();
        touch(code >> 4, inside != null && inside[0] > 0 ? (code & 3) << 2 : code & 3);
    }

    private int[] depth() {
        int[] mine = depth.get();
        if (mine == null) {
            mine = new int[1];
            depth.set(mine);
        }
        return mine;
    }

    private synchronized void touch(int place, int bit) {
        if (seen[place] == 0) {
            if (touches == touched.length) {
                touched = Arrays.copyOf(touched, touches * 2);
            }
            touched[touches++] = place;
        }
        seen[place] |= (byte) bit;
    }

    /** Returns and clears the touches since the last call: pairs of place and bits. */
    synchronized int[] take() {
        int[] out = new int[2 * touches];
        for (int i = 0; i < touches; i++) {
            out[2 * i] = touched[i];
            out[2 * i + 1] = seen[touched[i]];
            seen[touched[i]] = 0;
        }
        touches = 0;
        return out;
    }

    synchronized Site site(int place) {
        return sites.get(place);
    }

    /**
     * Returns and clears the objects that woven code passed: keys of properties, fields got by
     * reflection, and initialised classes.
     */
    Consumer<Object> keys() {
        return new Consumer<Object>() {
            @Override
            public void accept(Object key) {
                if (key instanceof Class) {
                    depth()[0]--;
                    AgentApi.classInitialised((Class<?>) key);
                } else if (key instanceof Field) {
                    field((Field) key);
                } else if (key instanceof Object[]) {
                    property(((Object[]) key)[0], WRITE);
                } else {
                    property(key, READ);
                }
            }

            /** A field is got by reflection. */
            private void field(Field got) {
                Class<?> c = got.getDeclaringClass();
                String owner = c.getName().replace('.', '/');
                if (!Modifier.isStatic(got.getModifiers()) || Weaver.ofJdk(c.getClassLoader()) || Exclusions.leftOut(owner) || Exclusions.artificial(got.getName()) || !AgentApi.mayObserve(owner)) {
                    return;
                }
                int place = place(loader(c.getClassLoader()), owner, got.getName());
                if (place >= 0) {
                    Sites.this.accept(place << 4 | READ);
                }
            }

            private void property(Object key, int bit) {
                int place = key instanceof String ? AgentApi.property((String) key) : -1;
                if (place >= 0) {
                    Sites.this.accept(place << 4 | bit);
                }
            }
        };
    }
}
