package io.odfix.harness.platform;

import java.lang.reflect.Method;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A launcher with the project's own listeners and filters. It has its own session if the Platform
 * has sessions (1.8 and later), because otherwise each request would open and close one.
 */
final class Launch {
    final Launcher launcher;
    private final AutoCloseable session;

    Launch(Engines engines) {
        LauncherConfig config = LauncherConfig.builder()
                .enableTestEngineAutoRegistration(false)
                .addTestEngines(engines.wrapped())
                .build();
        session = session(config);
        launcher = session == null ? LauncherFactory.create(config) : launcher(session);
    }

    private static AutoCloseable session(LauncherConfig config) {
        Method open;
        try {
            open = LauncherFactory.class.getMethod("openSession", LauncherConfig.class);
        } catch (NoSuchMethodException e) {
            return null;
        }
        return (AutoCloseable) call(open, null, config);
    }

    private static Launcher launcher(AutoCloseable session) {
        try {
            Class<?> type = Class.forName("org.junit.platform.launcher.LauncherSession");
            return (Launcher) call(type.getMethod("getLauncher"), session);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object call(Method method, Object target, Object... args) {
        try {
            return method.invoke(target, args);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw new IllegalStateException("the project's launcher session listeners failed", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    void close() {
        if (session != null) {
            try {
                session.close();
            } catch (Exception e) {
                throw new IllegalStateException("the launcher session does not close", e);
            }
        }
    }
}
