package io.odfix.launch;

/** The JDK that a mojo takes from Maven's toolchains. */
final class Toolchains {
    private Toolchains() {
    }

    /** The path of a tool of the mojo's toolchain, or null where it has none. */
    static String find(Fields mojo, String tool) {
        Object toolchain = mojo.call("getToolchain");
        if (toolchain == null) {
            return null;
        }
        try {
            return (String) toolchain.getClass().getMethod("findTool", String.class).invoke(toolchain, tool);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }
}
