package io.odfix.state;

import java.util.Properties;

/**
 * Classes that are excluded by name: test frameworks, mocking, coverage, logging, languages' own
 * runtimes, and odfix.
 */
final class Exclusions {
    private static final String[] LEFT_OUT = {
        "java/", "io/odfix/harness/", "io/odfix/state/",
        "org/junit/", "junit/framework/", "junit/extensions/", "junit/runner/", "junit/textui/", "junit/swingui/",
        "org/hamcrest/", "org/opentest4j/", "org/apiguardian/", "org/assertj/", "org/testng/", "org/spockframework/",
        "org/mockito/", "net/bytebuddy/", "net/sf/cglib/", "org/objenesis/", "org/powermock/", "org/easymock/",
        "mockit/", "javassist/", "org/jacoco/", "org/apache/maven/surefire/", "org/apache/maven/plugin/surefire/",
        "org/slf4j/", "ch/qos/logback/", "org/apache/log4j/", "org/apache/logging/", "org/apache/commons/logging/",
        "org/jboss/logging/", "org/eclipse/jetty/util/log/", "org/apache/juli/", "io/netty/util/internal/logging/", "org/tinylog/",
        "com/google/common/flogger/", "org/codehaus/groovy/", "groovy/lang/", "kotlin/", "scala/runtime/",
    };

    /** Parts of the names of classes that are generated while the tests run. */
    private static final String[] GENERATED = {"/$Proxy", "com/sun/proxy/", "jdk/proxy", "$MockitoMock$", "$$EnhancerBy", "$$FastClassBy", "$$SpringCGLIB"};

    private Exclusions() {}

    /** @param internal a class's name with slashes */
    static boolean leftOut(String internal) {
        for (String prefix : LEFT_OUT) {
            if (internal.startsWith(prefix)) {
                return true;
            }
        }
        return generated(internal);
    }

    /** Classes that are generated while the tests run. */
    static boolean generated(String internal) {
        for (String part : GENERATED) {
            if (internal.contains(part)) {
                return true;
            }
        }
        return false;
    }

    /** Fields that compilers and coverage tools add. */
    static boolean artificial(String field) {
        return field.startsWith("$") || field.startsWith("class$") || field.startsWith("ENUM$VALUES")
                || field.startsWith("__cobertura") || field.equals("serialVersionUID");
    }

    /**
     * The system properties, which have places of their own. A field that also leads to them, such as
     * one of a configuration library, is not the state that matters: it is each property.
     */
    static boolean ofProcess(Object o) {
        return o instanceof Properties && o == System.getProperties();
    }

    /**
     * Classes whose objects are compared by their class only, because walking them finds nothing
     * useful.
     */
    static boolean opaque(Class<?> c) {
        String name = c.getName().replace('.', '/');
        if (!name.startsWith("java/")) {
            return name.startsWith("sun/") || name.startsWith("jdk/") || name.startsWith("com/sun/jmx/") || leftOut(name);
        }
        return name.startsWith("java/lang/reflect/") || name.startsWith("java/lang/invoke/")
                || name.startsWith("java/lang/ref/") || name.startsWith("java/util/logging/")
                || name.startsWith("java/util/concurrent/locks/") || name.startsWith("java/security/")
                || name.startsWith("java/text/") || name.startsWith("java/util/regex/") || name.startsWith("java/nio/channels/");
    }
}
