package io.odfix.state;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.File;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Classes whose static fields may be the project's, by their names. */
public class FoldersTest {
    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    @Test
    public void byPackage() throws Exception {
        File classes = folder.newFolder("some classes");
        assertTrue(new File(classes, "com/acme").mkdirs());
        Folders folders = new Folders(classes + File.pathSeparator + folder.newFile("library.jar"));
        assertTrue(folders.mayHold("com/acme/Registry"));
        assertFalse(folders.mayHold("com/acme/below/Registry"));
        assertFalse(folders.mayHold("org/library/Cache"));

        folders.met(classes.toURI().toURL().getPath());
        folders.met(classes.getPath() + "/"); // nothing is escaped
        assertFalse(folders.mayHold("org/library/Cache"));
        folders.met(folder.newFolder("plugins").toURI().toURL().getPath());
        assertTrue("a class loader of the project's own takes classes from elsewhere", folders.mayHold("org/library/Cache"));
    }

    /** The manifest of a jar may list the folders. */
    @Test
    public void withoutFolders() throws Exception {
        assertTrue(new Folders(folder.newFile("surefire.jar").getPath()).mayHold("org/library/Cache"));
        assertTrue(new Folders("").mayHold("org/library/Cache"));
    }
}
