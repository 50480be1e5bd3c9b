package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.codehaus.plexus.classworlds.ClassWorld;
import org.codehaus.plexus.classworlds.realm.ClassRealm;
import org.junit.jupiter.api.Test;

class WrapperTest {
    interface Goal {
        void execute();
    }

    static class Surefire implements Goal {
        @Override
        public void execute() {
        }
    }

    /** As Guice makes them. */
    static class Enhanced extends Surefire {
    }

    static class Delegating implements Goal {
        private final Object other = "not a mojo";
        private final Goal real;

        Delegating(Goal real) {
            this.real = real;
        }

        @Override
        public void execute() {
            real.execute();
        }
    }

    /** Refers to itself, and to no mojo. */
    static class Hiding implements Goal {
        private final Goal self = this;

        @Override
        public void execute() {
        }
    }

    private final Surefire surefire = new Surefire();

    private static Object unwrap(Object mojo) {
        return Wrapper.unwrap(mojo, Surefire.class.getName());
    }

    private static Object proxy(InvocationHandler handler) {
        return Proxy.newProxyInstance(Goal.class.getClassLoader(), new Class<?>[] {Goal.class}, handler);
    }

    @Test
    void findsTheMojoThatTheHandlerOfAProxyHolds() {
        assertSame(surefire, unwrap(proxy((self, method, arguments) -> method.invoke(surefire, arguments))));
    }

    @Test
    void findsTheMojoInAField() {
        assertSame(surefire, unwrap(new Delegating(new Delegating(surefire))));
    }

    @Test
    void takesWhatIsAMojoItself() {
        assertSame(surefire, unwrap(surefire));
        Enhanced enhanced = new Enhanced();
        assertSame(enhanced, unwrap(enhanced));
    }

    @Test
    void leavesWhatHoldsNoMojo() {
        Hiding hiding = new Hiding();
        assertSame(hiding, unwrap(hiding));
        Object proxy = proxy((self, method, arguments) -> null);
        assertSame(proxy, unwrap(proxy));
    }

    @Test
    void namesTheExtensionOfAWrapper() throws Exception {
        ClassRealm realm = new ClassWorld().newRealm("coreExtension>com.example:cache:1.0", null);
        realm.addURL(getClass().getProtectionDomain().getCodeSource().getLocation());
        Constructor<?> constructor = realm.loadClass(Hiding.class.getName()).getDeclaredConstructor();
        constructor.setAccessible(true);
        assertEquals("com.example:cache:1.0", Wrapper.origin(constructor.newInstance()));
        assertEquals(Hiding.class.getName(), Wrapper.origin(new Hiding()));
    }
}
