package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The lines of the project that wrote into objects since the last mark: into fields and arrays, and
 * into collections by calls of the JDK. Only a run that asks for lines is woven for that ({@link
 * WovenLines}). The written objects cannot be collected until the next mark.
 */
final class WriteLog implements Consumer<Object[]> {
    /** The maximal number of writes between two marks. If there are more, no line is reported. */
    private static final int MOST = 1 << 18;

    /** The effect of an instruction on the object. */
    enum Kind {
        FIELD,
        ELEMENT,
        /** A key gets a value. */
        PUT,
        /** An element is added, or replaces another one. */
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

    /** One execution of an instruction. */
    static final class Write {
        final Line line;
        /** The key of an entry, or the index of an element. Null if there is none. */
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
     * Receives what {@link Gate} sends. By its length it is the operand of a write, or a write that
     * uses the operands sent before.
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
     * The writes to each object since the last call, in their order. Empty if there were too many.
     */
    synchronized Map<Object, List<Write>> take() {
        Map<Object, List<Write>> out = count >= MOST ? Collections.<Object, List<Write>>emptyMap() : all;
        all = new IdentityHashMap<Object, List<Write>>();
        count = 0;
        return out;
    }
}
