package io.odfix.state;

import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/**
 * A process that answers one order after the other: all shared state that can be seen is remembered once, and put back in place behind each
 * order. Whatever keeps it from being exactly what it was is a problem, and one problem ends the process.
 *
 * <p>A class that an order initialises stays so, while each fresh process would initialise it anew when it is first used. Its fields are
 * put back to what its initialiser left. That is the same where the initialiser cannot tell when it runs, and nobody else can tell
 * either: it read nothing that differed then from what is remembered, and changed nothing but what became reachable by it, and collections. Both are looked at, at
 * the outermost initialiser's beginning and end ({@link Birth}); a class that cannot say when it is initialised is a problem. What it added to a collection
 * stays there, and a later order is watched that has to do with it, or with what the initialiser read ({@link Kept}). What frameworks for
 * tests, mocks and logging keep (registries of loggers, caches) may be added to by initialisers, and stays added.
 *
 * <p>Not seen, and taken to be the same: what the JDK's own classes hold beside {@link #JDK}, what its internal objects, threads, class loaders and
 * exceptions hold, and memory outside of the heap.
 */
final class Living {
    /** Of the JDK, what tests are known to change; a "!" behind a field says that what it refers to counts by identity. */
    private static final String[] JDK = {
        "java.util.Locale defaultLocale! defaultDisplayLocale! defaultFormatLocale!", "java.util.TimeZone defaultTimeZone!",
        "java.lang.System in! out! err! props security!", "java.lang.Thread defaultUncaughtExceptionHandler threadInitNumber",
        "java.lang.Thread$ThreadNumbering next", "java.lang.ProcessEnvironment theEnvironment theUnmodifiableEnvironment",
        "java.net.URL factory handlers", "java.net.URLConnection factory handlers defaultUseCaches fileNameMap", "java.net.Authenticator theAuthenticator",
        "java.net.ProxySelector theProxySelector!", "java.net.CookieHandler cookieHandler", "java.net.ResponseCache theResponseCache",
        "java.net.HttpURLConnection followRedirects", "javax.net.ssl.HttpsURLConnection defaultHostnameVerifier defaultSSLSocketFactory!",
        "javax.net.ssl.SSLContext defaultContext!", "java.security.Security props", "java.nio.charset.Charset defaultCharset!",
        "java.util.concurrent.Executors$DefaultThreadFactory poolNumber", "java.util.Timer nextSerialNumber",
        "java.sql.DriverManager registeredDrivers loginTimeout logWriter logStream driversInitialized",
        "java.util.logging.LogManager manager", "javax.management.MBeanServerFactory mBeanServerList",
    };

    /** System properties that the JDK's classes read when they are initialised. */
    private static final String[] ITS = {"java.", "javax.", "sun.", "jdk.", "http.", "https.", "ftp.", "socks", "file.", "line.", "user.", "networkaddress"};
    private static final int MOST_PROBLEMS = 20;
    private static final int CHANGED = 0;
    private static final int EXACT = 1;
    private static final int BROKEN = 2;
    /** Entries of the ledger that are looked at for the sake of initialisers: a few seconds. */
    private static final long MOST_WALKED = 100L * 1000 * 1000;

    private final java.lang.instrument.Instrumentation instrumentation;
    private final Sites sites;
    private final Ledger ledger = new Ledger();
    private final Kept kept;
    /** Entries of the JDK's own state: who reads it is not seen. */
    private final Set<Ledger.Entry> shared = Collections.newSetFromMap(new IdentityHashMap<Ledger.Entry, Boolean>());
    private final KeptAlive keptAlive = new KeptAlive();
    private final Drivers drivers = new Drivers();
    private final Temporary temporary;
    private final Map<Class<?>, List<Fields>> entered = new IdentityHashMap<Class<?>, List<Fields>>();
    /** Classes without an initialiser of their own: nobody says when they are initialised. */
    private final Set<Class<?>> silent = Collections.newSetFromMap(new IdentityHashMap<Class<?>, Boolean>());
    private final Set<Class<?>> looked = Collections.newSetFromMap(new IdentityHashMap<Class<?>, Boolean>());
    private final Map<String, Boolean> initialisers = new HashMap<String, Boolean>();
    private final List<String> problems = new ArrayList<String>();
    private final Check check = new Check();
    private Map<Object, Object> properties = new HashMap<Object, Object>();
    private Leftover leftover;
    private Birth birth;
    private boolean marked;
    private long walked;
    /** What went wrong here while an order ran: tests may have noticed. */
    volatile Throwable broken;
    private volatile boolean loaded;
    private volatile boolean loadedJdk;

    Living(java.lang.instrument.Instrumentation instrumentation, Sites sites, Temporary temporary) {
        this.temporary = temporary;
        this.instrumentation = instrumentation;
        this.sites = sites;
        kept = new Kept(ledger, sites);
    }

    Sites.Site site(int place) {
        return sites.site(place);
    }

    /** A class that is not the JDK's is being loaded. */
    void loads(String internal, Scan scan) {
        synchronized (initialisers) {
            initialisers.put(internal.replace('/', '.'), scan.initialiser());
        }
        loaded = true;
    }

    /** One of the JDK's is. */
    void loads(String internal) {
        keptAlive.loads(internal);
        loadedJdk = true;
    }

    /** Remembers everything; the calling thread is the one that is to run the tests. */
    synchronized byte[] remember() {
        long began = System.nanoTime();
        try {
            List<Class<?>> lax = new ArrayList<Class<?>>();
            for (Class<?> c : instrumentation.getAllLoadedClasses()) {
                if (ours(c) && looked.add(c)) {
                    if (Peek.memory.uninitialised(c)) {
                        wait(c);
                    } else if (lax(c)) {
                        lax.add(c);
                    } else {
                        enter(c);
                    }
                }
            }
            int own = ledger.all().size();
            KeptAlive.meet();
            jdk();
            shared.addAll(ledger.all().subList(own, ledger.all().size()));
            for (Class<?> c : lax) {
                enter(c);
            }
            ledger.add(Fields.ofThread());
            temporary.remember();
            leftover = new Leftover();
            problems.addAll(leftover.strangers());
            properties = properties();
            check.begin(entered.keySet());
            kept.next();
            loaded = false;
            loadedJdk = false;
            marked = true;
        } catch (Throwable t) {
            problem("what there is cannot be remembered: " + t);
        }
        return told(0, began);
    }

    /** Puts everything back, and tells what keeps it from being as it was. */
    synchronized byte[] back() {
        long began = System.nanoTime();
        int changed = 0;
        try {
            keptAlive.close();
            String library = temporary.loaded(Paths.get("/proc/self/maps"));
            if (library != null) {
                problem("a library was loaded from the temporary file " + library);
            }
            temporary.clear();
            problems.addAll(leftover.found());
            arrive();
            properties(properties());
            guard();
            String doubt = kept.problem(this);
            if (doubt != null) {
                problem(doubt);
            }
            changed = restore();
            leftOpen();
            for (String path : check.differences(entered.keySet(), kept.added(this))) {
                problem("put back, it is not as it was: " + path);
            }
        } catch (Throwable t) {
            problem("what there was cannot be put back: " + t);
        }
        loadedJdk = false;
        kept.next();
        return told(changed, began);
    }

    private byte[] told(int changed, long began) {
        Throwable b = broken;
        broken = null;
        if (b != null) {
            problem("the initialisation of a class could not be followed: " + b);
        }
        if (!ledger.whole()) {
            problem("there is more shared state than is remembered (" + Ledger.MOST + " objects)");
        }
        Bytes list = new Bytes(' ');
        int count = Math.min(problems.size(), MOST_PROBLEMS);
        for (String problem : problems.subList(0, count)) {
            list.str(problem);
        }
        problems.clear();
        return new Bytes('w').u8(b != null ? BROKEN : count == 0 ? EXACT : CHANGED).list(count, list).u32(ledger.all().size()).u32(changed)
                .i64((System.nanoTime() - began) / 1000).done();
    }

    private void problem(String text) {
        problems.add(text);
    }

    private int restore() {
        int changed = 0;
        for (Ledger.Entry e : ledger.all()) {
            if (e.same()) {
                continue;
            }
            changed++;
            if (e.fixed) {
                problem(e.name() + " has changed, which cannot be put back");
            } else {
                e.back();
            }
        }
        for (Ledger.Entry e : ledger.all()) {
            if (!e.fixed && !e.same()) {
                problem(e.name() + " has changed again, or cannot be put back");
            }
        }
        return changed;
    }

    /** Once all references are put back, nobody can reach what the order alone had opened: the JDK closes it with the object. */
    private void leftOpen() {
        if (leftover.mayClose() && leftover.collect()) {
            restore(); // what a finalizer may have changed
        }
        problems.addAll(leftover.open());
    }

    private void guard() {
        if (birth != null) {
            problem("a class is still being initialised");
            birth = null;
        }
        if (!Guard.none()) {
            problem("there is a security manager");
        }
    }

    /** What the JDK's classes may have read while they were initialised must be as it is remembered. */
    private void properties(Map<Object, Object> now) {
        if (!loadedJdk) {
            return;
        }
        Map<Object, Object> either = new HashMap<Object, Object>(properties);
        either.putAll(now);
        for (Object key : either.keySet()) {
            Object was = properties.get(key);
            boolean same = was == null ? now.get(key) == null : was.equals(now.get(key));
            for (String prefix : ITS) {
                if (!same && key instanceof String && ((String) key).startsWith(prefix)) {
                    problem("the system property " + key + " changed while classes of the JDK were loaded, which may have read it");
                }
            }
        }
    }

    private static Map<Object, Object> properties() {
        Properties all = System.getProperties();
        return all.getClass() == Properties.class ? new HashMap<Object, Object>(all) : new HashMap<Object, Object>();
    }

    /** What a system property is remembered to be. */
    boolean changed(String key) {
        Object was = properties.get(key);
        Object now = properties().get(key);
        return was == null ? now != null : !was.equals(now);
    }

    /** Looks at classes that came and said nothing. */
    private void arrive() {
        if (loaded) {
            loaded = false;
            for (Class<?> c : instrumentation.getAllLoadedClasses()) {
                if (ours(c) && looked.add(c)) {
                    wait(c);
                }
            }
        }
        for (Class<?> c : silent.toArray(new Class<?>[0])) {
            if (!Peek.memory.uninitialised(c)) {
                silent.remove(c);
                if (!entered.containsKey(c)) {
                    came(c);
                }
            }
        }
    }

    private void wait(Class<?> c) {
        if (foreign(c.getClassLoader())) {
            problem(c.getName() + " was loaded by a class loader of the tests' own");
        }
        silent.add(c);
    }

    private void came(Class<?> c) {
        Boolean initialiser;
        synchronized (initialisers) {
            initialiser = initialisers.get(c.getName());
        }
        if (Boolean.FALSE.equals(initialiser)) {
            for (Fields fields : enter(c)) {
                if (!fields.fixed) {
                    fields.unset();
                }
            }
        } else if (ofTests(c.getName())) {
            enter(c);
        } else if (!Fields.of(c, false).isEmpty()) {
            problem(c.getName() + " was initialised, and nobody saw how");
        }
    }

    private static boolean foreign(ClassLoader loader) {
        for (ClassLoader own = ClassLoader.getSystemClassLoader(); own != null; own = own.getParent()) {
            if (own == loader) {
                return false;
            }
        }
        return loader != null;
    }

    /** True of classes whose static fields are remembered: all but the JDK's, ours, and what is made while tests run. */
    private static boolean ours(Class<?> c) {
        String name = c.getName();
        return !c.isArray() && !c.isPrimitive() && !Resolve.ofJdk(c) && !Known.made(name.replace('.', '/'))
                && !name.startsWith("io.odfix.harness.") && !name.startsWith("jdk.internal.reflect.") && !name.startsWith("sun.reflect.");
    }

    private static boolean ofTests(String name) {
        return name.startsWith("org.junit.") || name.startsWith("junit.") || name.startsWith("org.hamcrest.") || name.startsWith("org.opentest4j.");
    }

    private static boolean lax(Class<?> c) {
        return Known.leftOut(c.getName().replace('.', '/'));
    }

    private List<Fields> enter(Class<?> c) {
        List<Fields> all = Fields.of(c, lax(c));
        entered.put(c, all);
        for (Fields fields : all) {
            ledger.add(fields);
        }
        return all;
    }

    private void jdk() {
        for (String line : JDK) {
            String[] words = line.split(" ");
            Class<?> c = find(words[0]);
            for (int i = 1; c != null && i < words.length; i++) {
                boolean deep = !words[i].endsWith("!");
                Fields field = Fields.of(c, deep ? words[i] : words[i].substring(0, words[i].length() - 1), deep, words[0].startsWith("java.util.logging."));
                if (field != null) {
                    int first = ledger.all().size();
                    ledger.add(field);
                    if (words[0].equals(Drivers.MANAGER)) {
                        drivers.registry(ledger.all().subList(first, ledger.all().size()));
                    }
                    entered.put(c, Collections.<Fields>emptyList());
                }
            }
        }
    }

    /** Initialises the class, so that none of the tests does; drivers of databases would come along with theirs until Java 8. */
    private Class<?> find(String name) {
        try {
            boolean early = name.equals(Drivers.MANAGER) && Resolve.beforeModules();
            return Class.forName(name, !early, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException e) {
            return null;
        } catch (LinkageError e) {
            return null;
        }
    }

    /** A static initialiser begins. */
    synchronized void begins() {
        if (!marked) {
            return;
        }
        if (birth == null) {
            if (walked > MOST_WALKED) {
                problem("there is so much shared state that looking at it whenever a class is initialised takes too long");
                return;
            }
            birth = new Birth(Thread.currentThread(), ledger, kept, temporary);
            walked += birth.weight();
        } else if (birth.thread != Thread.currentThread()) {
            problem("classes were initialised by several threads at once");
            return;
        }
        birth.enter();
    }

    /** It has ended well. */
    synchronized void begun(Class<?> c) {
        if (!marked || birth == null || birth.thread != Thread.currentThread()) {
            return;
        }
        birth.classes.add(c.getName());
        if (ours(c) && !entered.containsKey(c)) {
            looked.add(c);
            if (foreign(c.getClassLoader())) {
                problem(c.getName() + " was loaded by a class loader of the tests' own");
            }
            enter(c);
        }
        ends(c.getName());
    }

    /** It has ended with an exception. */
    synchronized void failed(String name) {
        if (marked && birth != null && birth.thread == Thread.currentThread()) {
            problem("the initialiser of " + name + " failed");
            ends(name);
        }
    }

    /**
     * True where what an initialiser changed of the entry stays changed: a collection was added to, and who reads that in a later order is seen, or
     * whoever reads it would have found the same.
     */
    boolean mayKeep(Ledger.Entry e, Set<String> classes) {
        return shared.contains(e) ? drivers.keeps(e, classes) : e.collects();
    }

    private void ends(String name) {
        if (birth.leave(name)) {
            Birth over = birth;
            birth = null;
            problems.addAll(over.ends(this));
        }
    }
}
