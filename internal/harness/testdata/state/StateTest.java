package state;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Locale;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

public class StateTest {
    static String around;

    @BeforeClass
    public static void before() {
        around = "set up";
    }

    @AfterClass
    public static void after() {
        around = null;
    }

    @Test
    public void looks() {
        assertEquals(0, Shapes.REGISTRY.size() + Shapes.plain);
        assertEquals("name4null", Shapes.NAME + Shapes.NUMBER + Shapes.NOTHING);
    }

    @Test
    public void registers() {
        Shapes.REGISTRY.computeIfAbsent("a", k -> new ArrayList<>()).add("b");
    }

    @Test
    public void registersAndRemoves() {
        Shapes.REGISTRY.put("x", new ArrayList<>());
        Shapes.REGISTRY.remove("x");
    }

    @Test
    public void puts() {
        Shapes.plain = 5;
        Shapes.real = 0.5;
    }

    @Test
    public void putsTheSame() {
        Shapes.plain = 5;
    }

    @Test
    public void array() {
        ((int[]) Shapes.array[0])[1] = 7;
    }

    @Test
    public void local() {
        Shapes.LOCAL.get().add("left behind");
    }

    @Test
    public void single() {
        Shapes.Single.INSTANCE.state++;
    }

    @Test
    public void inherited() {
        Shapes.Inherits.plain = 6;
        Shapes.Inherits.SHARED.add("x");
    }

    @Test
    public void property() {
        System.setProperty("state.captured", "here");
    }

    @Test
    public void captures() {
        assertEquals("here6", Shapes.Captured.log.get(0));
    }

    @Test
    public void locale() {
        Locale.setDefault(Locale.ROOT);
    }

    @Test
    public void cookies() {
        java.net.CookieHandler.setDefault(new java.net.CookieManager());
    }

    @Test
    public void fails() {
        try {
            Shapes.Failing.value = 2;
        } catch (ExceptionInInitializerError e) {
            assertNotNull(e.getCause());
        }
    }

    @Test
    public void afterAFailure() {
        Shapes.plain = 7;
    }

    @Test
    public void reflects() throws Exception {
        assertEquals("before", Shapes.ByReflection.text);
        Field f = Shapes.ByReflection.class.getDeclaredField("text");
        f.set(null, "after");
    }

    @Test
    public void huge() {
        assertNotNull(Shapes.Huge.graph);
    }

    @Test
    public void threads() throws Exception {
        Thread[] all = new Thread[50];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Thread(() -> {
                for (int k = 0; k < 1000; k++) {
                    synchronized (Shapes.REGISTRY) {
                        Shapes.REGISTRY.put("t" + k % 10, new ArrayList<>());
                    }
                    Shapes.real += k;
                }
            });
            all[i].start();
        }
        for (Thread t : all) {
            t.join();
        }
    }

    /** A class loader that knows the JDK and one class, as module systems' do. */
    static final class Closed extends ClassLoader {
        Closed() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = StateTest.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null || !name.startsWith("state.Lonely")) {
                    throw new ClassNotFoundException(name);
                }
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    out.write(b);
                }
                return defineClass(name, out.toByteArray(), 0, out.size());
            } catch (java.io.IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Test
    public void lonely() throws Exception {
        assertEquals(1, Lonely.count());
        assertEquals(1, Class.forName("state.Lonely", true, new Closed()).getMethod("count").invoke(null));
    }

    @Test
    public void large() {
        assertEquals(6000, Large.run());
    }
}
