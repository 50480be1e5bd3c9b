package io.odfix.state;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * Static fields of one class, or some fields of one object, as an entry of a {@link Ledger}. Final static fields are looked at and never
 * put: compiled code takes what they held for a constant.
 */
final class Fields extends Ledger.Entry {
    private final String of;
    private final Object base;
    private final boolean deep;
    private final List<String> names = new ArrayList<String>();
    private final long[] at;
    private final Class<?>[] types;
    private final Object[] refs;
    private final long[] prims;

    private Fields(String of, Object base, List<Field> fields, boolean finals, boolean deep, boolean lax) {
        super(lax, finals);
        this.of = of;
        this.base = base;
        this.deep = deep;
        at = new long[fields.size()];
        types = new Class<?>[at.length];
        for (int i = 0; i < at.length; i++) {
            Field f = fields.get(i);
            names.add(f.getName());
            at[i] = Modifier.isStatic(f.getModifiers()) ? Peek.memory.staticOffset(f) : Peek.memory.offset(f);
            types[i] = f.getType();
        }
        refs = new Object[at.length];
        prims = new long[at.length];
        renew();
    }

    /** The static fields of a class that has been initialised: those that are final, and the others. */
    static List<Fields> of(Class<?> c, boolean lax) {
        List<Field> finals = new ArrayList<Field>();
        List<Field> others = new ArrayList<Field>();
        for (Field f : c.getDeclaredFields()) {
            if (Modifier.isStatic(f.getModifiers()) && !f.isSynthetic() && !Known.artificial(f.getName())) {
                (Modifier.isFinal(f.getModifiers()) ? finals : others).add(f);
            }
        }
        List<Fields> out = new ArrayList<Fields>();
        for (List<Field> some : java.util.Arrays.asList(finals, others)) {
            if (!some.isEmpty()) {
                out.add(new Fields(c.getName(), Peek.memory.staticBase(some.get(0)), some, some == finals, true, lax));
            }
        }
        return out;
    }

    /** One static field of the JDK, or null where this JDK has none of that name. @param deep all below it is remembered, too */
    static Fields of(Class<?> c, String name, boolean deep, boolean lax) {
        for (Field f : c.getDeclaredFields()) {
            if (f.getName().equals(name)) {
                boolean fixed = Modifier.isFinal(f.getModifiers()) && c != System.class; // they are set behind the compiler's back
                return new Fields(c.getName(), Peek.memory.staticBase(f), java.util.Collections.singletonList(f), fixed, deep, lax);
            }
        }
        return null;
    }

    /** What the present thread carries. */
    static Fields ofThread() {
        String some = " name contextClassLoader threadLocals inheritableThreadLocals uncaughtExceptionHandler ";
        List<Field> fields = new ArrayList<Field>();
        for (Field f : Thread.class.getDeclaredFields()) {
            if (!Modifier.isStatic(f.getModifiers()) && some.contains(" " + f.getName() + " ")) {
                fields.add(f);
            }
        }
        return new Fields("the thread", Thread.currentThread(), fields, false, true, true);
    }

    /** The class has just been initialised without any code of its own: it began with nulls and zeros. */
    void unset() {
        java.util.Arrays.fill(refs, null);
        java.util.Arrays.fill(prims, 0);
    }

    @Override
    void renew() {
        for (int i = 0; i < at.length; i++) {
            if (types[i].isPrimitive()) {
                prims[i] = Peek.memory.bits(base, at[i], types[i]);
            } else {
                refs[i] = Peek.memory.ref(base, at[i]);
            }
        }
    }

    /** The first field that does not hold what it held, or -1. */
    private int differing() {
        for (int i = 0; i < at.length; i++) {
            if (!same(i)) {
                return i;
            }
        }
        return -1;
    }

    /** True where this is the field's class, and the field does not hold what it held. */
    boolean differs(String field) {
        int dot = field.lastIndexOf('.');
        int i = field.substring(0, dot).equals(of) ? names.indexOf(field.substring(dot + 1)) : -1;
        return i >= 0 && !same(i);
    }

    private boolean same(int i) {
        return types[i].isPrimitive() ? Peek.memory.bits(base, at[i], types[i]) == prims[i] : Peek.memory.ref(base, at[i]) == refs[i];
    }

    @Override
    boolean same() {
        return differing() < 0;
    }

    @Override
    void back() {
        for (int i = 0; i < at.length; i++) {
            if (types[i].isPrimitive()) {
                Peek.memory.put(base, at[i], types[i], prims[i]);
            } else if (Peek.memory.ref(base, at[i]) != refs[i]) {
                Peek.memory.putRef(base, at[i], refs[i]);
            }
        }
    }

    @Override
    Object[] refs() {
        return deep ? refs : new Object[0];
    }

    @Override
    long print() {
        long out = 1;
        for (int i = 0; i < at.length; i++) {
            out = out * 31 + (types[i].isPrimitive() ? Peek.memory.bits(base, at[i], types[i]) : System.identityHashCode(Peek.memory.ref(base, at[i])));
        }
        return out;
    }

    @Override
    String name() {
        int at = differing();
        return at < 0 ? of : of + "." + names.get(at);
    }
}
