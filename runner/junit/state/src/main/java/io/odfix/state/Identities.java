package io.odfix.state;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/** Numbers for objects. They do not change, and do not prevent the objects' collection. */
final class Identities {
    private static final class Key extends WeakReference<Object> {
        private final int hash;

        Key(Object of, ReferenceQueue<Object> queue) {
            super(of, queue);
            hash = System.identityHashCode(of);
        }

        @Override
        public int hashCode() {
            return hash;
        }

        @Override
        public boolean equals(Object o) {
            Object mine = get();
            return o == this || mine != null && o instanceof Key && ((Key) o).get() == mine;
        }
    }

    private final ReferenceQueue<Object> gone = new ReferenceQueue<Object>();
    private final Map<Key, Long> numbers = new HashMap<Key, Long>();
    private long next = 1;

    /** The object's number, from 1. */
    long of(Object o) {
        for (Object dead = gone.poll(); dead != null; dead = gone.poll()) {
            numbers.remove(dead);
        }
        Key key = new Key(o, gone);
        Long number = numbers.get(key);
        if (number == null) {
            number = next++;
            numbers.put(key, number);
        }
        return number;
    }
}
