package io.odfix.state;

import java.lang.reflect.Field;
import java.util.List;

/** Where objects of one class keep some of their fields, references and primitives apart. */
abstract class Offsets {
    final long[] refs;
    final long[] prims;
    /** The types of the primitives. */
    final Class<?>[] types;

    Offsets(List<Field> fields) {
        int p = 0;
        for (Field f : fields) {
            p += f.getType().isPrimitive() ? 1 : 0;
        }
        prims = new long[p];
        types = new Class<?>[p];
        refs = new long[fields.size() - p];
        p = 0;
        int r = 0;
        for (Field f : fields) {
            long offset = FieldAccess.memory.offset(f);
            if (f.getType().isPrimitive()) {
                types[p] = f.getType();
                prims[p++] = offset;
            } else {
                refs[r++] = offset;
            }
        }
    }
}
