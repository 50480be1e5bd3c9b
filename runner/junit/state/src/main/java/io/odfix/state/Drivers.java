package io.odfix.state;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Drivers of databases, which make themselves known to the JDK's manager when they are initialised. The manager itself initialises all that
 * are declared as its services before it answers anybody: that such a one is known already can be told by nobody.
 */
final class Drivers {
    static final String MANAGER = "java.sql.DriverManager";

    private final Set<Ledger.Entry> registry = Collections.newSetFromMap(new IdentityHashMap<Ledger.Entry, Boolean>());
    private Set<String> declared;

    /** These are what the manager keeps them in. */
    void registry(Collection<Ledger.Entry> entries) {
        registry.addAll(entries);
    }

    /** True where the entry is of the manager, and one of the classes that were being initialised is declared. */
    boolean keeps(Ledger.Entry e, Set<String> classes) {
        return registry.contains(e) && e.collects() && !Collections.disjoint(declared(), classes);
    }

    private Set<String> declared() {
        if (declared == null) {
            declared = new HashSet<String>();
            try {
                List<URL> all = Collections.list(ClassLoader.getSystemClassLoader().getResources("META-INF/services/java.sql.Driver"));
                for (URL one : all) {
                    read(one);
                }
            } catch (IOException e) {
                declared.clear(); // then none is
            }
        }
        return declared;
    }

    private void read(URL from) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(from.openStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int comment = line.indexOf('#');
                declared.add((comment < 0 ? line : line.substring(0, comment)).trim());
            }
        }
    }
}
