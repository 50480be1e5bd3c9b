package io.odfix.state;

import java.util.Arrays;

/** Arrays of primitives. */
final class PrimitiveArrays {
    private PrimitiveArrays() {}

    /** An element's bits, as {@link FieldAccess#bits}. */
    static long bits(Object array, int i) {
        if (array instanceof byte[]) {
            return ((byte[]) array)[i];
        } else if (array instanceof char[]) {
            return ((char[]) array)[i];
        } else if (array instanceof int[]) {
            return ((int[]) array)[i];
        } else if (array instanceof long[]) {
            return ((long[]) array)[i];
        } else if (array instanceof boolean[]) {
            return ((boolean[]) array)[i] ? 1 : 0;
        } else if (array instanceof double[]) {
            return Double.doubleToRawLongBits(((double[]) array)[i]);
        } else if (array instanceof float[]) {
            return Float.floatToRawIntBits(((float[]) array)[i]);
        }
        return ((short[]) array)[i];
    }

    /** A fingerprint of the first elements. */
    static long digest(Object array, int end) {
        if (array instanceof byte[]) {
            return Arrays.hashCode(Arrays.copyOf((byte[]) array, end));
        }
        long hash = 7;
        for (int i = 0; i < end; i++) {
            hash = (hash ^ bits(array, i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    /** The letter of the virtual machine's names for arrays ({@code [I}) becomes the type. */
    static Class<?> type(String arrayName) {
        switch (arrayName.charAt(1)) {
            case 'B':
                return byte.class;
            case 'C':
                return char.class;
            case 'I':
                return int.class;
            case 'J':
                return long.class;
            case 'Z':
                return boolean.class;
            case 'D':
                return double.class;
            case 'F':
                return float.class;
            default:
                return short.class;
        }
    }
}
