package io.odfix.harness.platform;

import io.odfix.harness.order.TestThread;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.platform.engine.EngineDiscoveryRequest;
import org.junit.platform.engine.ExecutionRequest;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.engine.UniqueId;

/**
 * The project's engines, wrapped. When the launcher calls the first engine for discovery, all
 * engines discover. The tests are then chosen from all trees.
 */
final class Engines {
    /** Receives the trees of all engines before the launcher sees them; may change the trees. */
    interface Visitor {
        void found(List<TestDescriptor> roots);
    }

    private final List<TestEngine> wrapped = new ArrayList<TestEngine>();
    private final Map<TestEngine, TestDescriptor> roots = new HashMap<TestEngine, TestDescriptor>();
    private Visitor visitor;

    /**
     * Loads the engines as the launcher does, without Vintage and engines that the build leaves
     * out.
     */
    Engines() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        for (TestEngine engine : ServiceLoader.load(TestEngine.class, loader)) {
            String id = engine.getId();
            if (EngineChoice.takes(id) && !id.equals(EngineChoice.VINTAGE)) {
                wrapped.add(new Wrapped(engine));
            }
        }
    }

    TestEngine[] wrapped() {
        return wrapped.toArray(new TestEngine[0]);
    }

    boolean isEmpty() {
        return wrapped.isEmpty();
    }

    /** The launcher will discover soon. The visitor is called once. */
    void expect(Visitor visitor) {
        this.visitor = visitor;
        roots.clear();
    }

    private TestDescriptor discover(Wrapped asked, EngineDiscoveryRequest request) {
        if (visitor != null) {
            for (TestEngine engine : wrapped) {
                TestEngine real = ((Wrapped) engine).engine;
                roots.put(engine, real.discover(request, UniqueId.forEngine(real.getId())));
            }
            List<TestDescriptor> all = new ArrayList<TestDescriptor>();
            for (TestEngine engine : wrapped) {
                all.add(roots.get(engine));
            }
            Visitor next = visitor;
            visitor = null;
            next.found(all);
        }
        return roots.remove(asked);
    }

    /**
     * Descriptors are the real engine's, with its own unique ids. Only the launcher sees another
     * engine id.
     */
    private final class Wrapped implements TestEngine {
        private final TestEngine engine;

        Wrapped(TestEngine engine) {
            this.engine = engine;
        }

        /** The launcher allows only JUnit's own engines to use their ids. */
        @Override
        public String getId() {
            return "odfix-" + engine.getId();
        }

        @Override
        public TestDescriptor discover(EngineDiscoveryRequest request, UniqueId id) {
            return Engines.this.discover(this, request);
        }

        @Override
        public void execute(ExecutionRequest request) {
            TestThread.enter();
            try {
                engine.execute(request);
            } finally {
                TestThread.leave();
            }
        }

        @Override
        public Optional<String> getGroupId() {
            return engine.getGroupId();
        }

        @Override
        public Optional<String> getArtifactId() {
            return engine.getArtifactId();
        }

        @Override
        public Optional<String> getVersion() {
            return engine.getVersion();
        }
    }
}
