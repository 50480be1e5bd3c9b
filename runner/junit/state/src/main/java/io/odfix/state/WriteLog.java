package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Which lines of the project wrote into which objects since the last mark: into fields and arrays,
 * and into collections by calling the JDK's. Only a run that asks for lines is woven for that
 * ({@link WovenLines}), and until the next mark it keeps alive what was written to.
 */
final class WriteLog implements Consumer<Object[]> {
    /** Writes between two marks, beyond which none are known. */
    private static final int MOST = 1 << 18;

    /** What an instruction does to the object. */
    enum Kind {
        FIELD,
        ELEMENT,
        /** A key gets a value. */
        PUT,
        /** Something is added, or put in the place of something else. */
        ADD,
        REMOVE,
        CLEAR
    }

    /** An instruction that writes. */
    static final class Line {
        final Kind kind;
        /** The name of the field, or null. */
        final String field;
        private final Sites.Writer at;

        Line(Kind kind, String field, Sites.Writer at) {
            this.kind = kind;
            this.field = field;
            this.at = at;
        }

        @Override
        public String toString() {
            return at.toString();
        }
    }

    /** One time that it was passed. */
    static final class Write {
        final Line line;
        /** The key of an entry, or the number of an element; null where there is none. */
        final Object key;
        final Object value;

        Write(Line line, Object key, Object value) {
            this.line = line;
            this.key = key;
            this.value = value;
        }
    }

    private final List<Line> lines = new ArrayList<Line>();
    private final ThreadLocal<Object[]> held = new ThreadLocal<Object[]>();
    private Map<Object, List<Write>> all = new IdentityHashMap<Object, List<Write>>();
    private int count;

    synchronized int line(Line line) {
        lines.add(line);
        return lines.size() - 1;
    }

    /**
     * As {@link Gate} sends it: by how much it is, what a write has to do with, or a write that has
     * to do with what was sent before.
     */
    @Override
    public void accept(Object[] sent) {
        switch (sent.length) {
            case 1:
            case 2:
                held.set(sent);
                return;
            case 3:
                add(sent[0], (Integer) sent[2], null, sent[1]);
                return;
            case 4:
                Object[] pair = held.get();
                boolean alone = sent[2] != null;
                add(sent[0], (Integer) sent[1], alone || pair == null ? null : pair[0], alone || pair == null ? null : pair[1]);
                break;
            default:
                Object[] to = held.get();
                add(to == null ? null : to[0], (Integer) sent[1], null, sent[0]);
        }
        held.remove();
    }

    private synchronized void add(Object to, int line, Object key, Object value) {
        if (to == null || count >= MOST) {
            return;
        }
        count++;
        List<Write> known = all.get(to);
        if (known == null) {
            known = new ArrayList<Write>(2);
            all.put(to, known);
        }
        known.add(new Write(lines.get(line), key, value));
    }

    /**
     * What was written to each object since the last call, the last one last; nothing if there
     * was too much.
     */
    synchronized Map<Object, List<Write>> take() {
        Map<Object, List<Write>> out = count >= MOST ? Collections.<Object, List<Write>>emptyMap() : all;
        all = new IdentityHashMap<Object, List<Write>>();
        count = 0;
        return out;
    }
}
