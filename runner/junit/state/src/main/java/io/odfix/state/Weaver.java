package io.odfix.state;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassTooLargeException;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Weaves a call in front of each getstatic and putstatic of a class that is being loaded. */
final class Weaver implements ClassFileTransformer {
    /**
     * The newest version of class files that the library reads. Newer files are read as this
     * version.
     */
    private static final int NEWEST = Opcodes.V27;

    private static final ClassLoader PLATFORM = platform();

    private final Sites sites;

    /** Null if lines that write into objects are not requested. */
    private final WriteLog writes;

    Weaver(Sites sites, WriteLog writes) {
        this.writes = writes;
        this.sites = sites;
    }

    private static ClassLoader platform() {
        return ClassLoader.getSystemClassLoader().getParent();
    }

    static boolean ofJdk(ClassLoader loader) {
        return loader == null || loader == PLATFORM;
    }

    @Override
    public byte[] transform(
            ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        if (loader == null && name != null && redefined == null) {
            AgentApi.loads(name);
        }
        boolean restores = AgentApi.restores();
        if (ofJdk(loader) || redefined != null || name == null || restores && !AgentApi.remembers(name)) {
            return null;
        }
        try {
            boolean leftOut = Exclusions.leftOut(name);
            if (leftOut && !AgentApi.includes() || name.startsWith("io/odfix/")) {
                return null;
            }
            ClassReader reader = reader(code);
            ClassScan scan = new ClassScan(reader);
            byte[] woven = null;
            try {
                woven = leftOut ? null : weave(loader, name, reader, scan, restores, !restores && writes != null && AgentApi.observes(name, domain));
                if (woven != null) {
                    System.arraycopy(code, 4, woven, 4, 4); // the version
                }
            } finally {
                AgentApi.loads(name, domain, scan, woven != null); // a class that could not be woven does not report its initialisation
            }
            return woven;
        } catch (ClassTooLargeException e) {
            AgentApi.note(name + " is too large to be observed");
        } catch (MethodTooLargeException e) {
            AgentApi.note(name + " is not observed: " + e.getMethodName() + " is too large");
        } catch (Throwable t) {
            AgentApi.note(name + " is not observed: " + t);
        }
        return null;
    }

    /**
     * @param only the class only reports its initialisation
     * @param lines writes into objects are recorded
     */
    private byte[] weave(ClassLoader loader, String name, ClassReader reader, ClassScan scan, boolean only, boolean lines) {
        if (!scan.initialiser()) {
            sites.plain(sites.loader(loader), name);
        }
        if (!lines && !scan.touches() || only && !scan.initialiser()) {
            return null;
        }
        ClassWriter writer = new ClassWriter(reader, 0);
        Woven woven = new Woven(writer, sites.loader(loader), only ? null : scan, lines ? writes : null);
        reader.accept(woven, 0);
        if (!woven.changed) {
            return null;
        }
        return writer.toByteArray();
    }

    private static ClassReader reader(byte[] code) {
        byte[] readable = code;
        if (((code[6] & 0xff) << 8 | code[7] & 0xff) > NEWEST) {
            readable = code.clone();
            readable[6] = (byte) (NEWEST >> 8);
            readable[7] = (byte) NEWEST;
        }
        return new ClassReader(readable);
    }

    /** One class. */
    final class Woven extends ClassVisitor {
        private final Sites.Loader loader;
        private final ClassScan scan;
        private final WriteLog writes;
        boolean changed;
        String owner;
        private String source;
        /** The version of its class file has stack map frames. */
        boolean frames;

        /** @param scan null if only the static initialiser is woven */
        Woven(ClassVisitor to, Sites.Loader loader, ClassScan scan, WriteLog writes) {
            super(Opcodes.ASM9, to);
            this.loader = loader;
            this.scan = scan;
            this.writes = writes;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String parent, String[] interfaces) {
            owner = name;
            frames = (version & 0xffff) >= Opcodes.V1_6;
            super.visit(version, access, name, signature, parent, interfaces);
        }

        @Override
        public void visitSource(String file, String debug) {
            source = file;
            super.visitSource(file, debug);
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String type, String signature, String[] thrown) {
            MethodVisitor to = super.visitMethod(access, name, type, signature, thrown);
            if (name.equals("<clinit>")) {
                changed = true;
                return new WovenMethod(to, this, name);
            }
            MethodVisitor woven = scan != null && scan.touches(name, type) ? new WovenMethod(to, this, name) : to; // copied as it is
            if (writes == null) {
                return woven;
            }
            changed = true;
            return new WovenLines(woven, writes, owner, name, source);
        }

        int place(String of, String field) {
            return sites.place(loader, of, field);
        }

        /**
         * The number of a putstatic at that line, or -1 if writers are not recorded. lazy: the
         * method gets the field before.
         */
        int writer(String method, int line, boolean lazy) {
            return sites.writer(new Sites.Writer(owner, method, source, line, lazy));
        }
    }
}
