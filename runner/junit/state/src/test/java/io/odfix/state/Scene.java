package io.odfix.state;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** One root named R, looked at before and after something is done. */
public final class Scene {
    public static final int MOST_OF_ROOT = Camera.MOST_OF_ROOT;

    public Object held;
    private Snapshot last;
    private final Camera camera;
    private final List<Root> roots;

    public Scene(Object held) {
        ReflectedMemory.install();
        this.held = held;
        camera = new Camera(new Identities());
        Root root = new Root("R") {
            @Override
            boolean gone() {
                return false;
            }

            @Override
            Object held() {
                return Scene.this.held;
            }
        };
        root.number = 0;
        roots = Collections.singletonList(root);
        last = look();
    }

    private Snapshot look() {
        return camera.shoot(roots, Camera.MOST);
    }

    /** What changed since the last call, a line each. */
    public List<String> changes() {
        Snapshot now = look();
        List<String> out = new ArrayList<String>();
        for (Change c : Difference.of(last, now, roots)) {
            out.add(c.toString());
        }
        last = now;
        return out;
    }

    /** More could be reached than was looked at. */
    public boolean cut() {
        return last.cut;
    }

    public int objects() {
        return last.nodes();
    }
}
