package io.odfix.state;

import static org.junit.Assert.assertEquals;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

/** Classes that are initialised before the first test. */
public class EagerLoadingTest {
    private static final List<String> BEGAN = new ArrayList<String>();

    private static final class First {
        static {
            BEGAN.add("First");
        }
    }

    private static final class Second {
        static {
            BEGAN.add("Second");
        }
    }

    private static final class Fails {
        static {
            if (BEGAN.add("Fails")) {
                throw new IllegalStateException("in this order");
            }
        }
    }

    @Rule
    public final TemporaryFolder folder = new TemporaryFolder();

    /**
     * Classes are initialised in the order of the file. A class that fails or is missing does not
     * prevent the others.
     */
    @Test
    public void classesLoadInTheOrderOfTheFirstRun() throws Exception {
        File file = new File(folder.getRoot(), "classes");
        EagerLoading.load(file.getPath()); // no class was recorded
        EagerLoading.met(file.getPath(), Second.class);
        EagerLoading.met(file.getPath(), Fails.class);
        java.nio.file.Files.write(file.toPath(), "acme.Generated\n".getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
        EagerLoading.met(file.getPath(), First.class);
        assertEquals("naming a class does not initialise it", "[]", BEGAN.toString());
        EagerLoading.load(file.getPath());
        assertEquals("[Second, Fails, First]", BEGAN.toString());
    }

    @Test
    public void firstRunWritesAndSecondRunLoads() throws Exception {
        Properties from = new Properties();
        from.setProperty("classes", "f");
        String told = "";
        for (String loading : new String[] {"", "lazy", "collect", "eager"}) {
            from.setProperty("class_loading", loading);
            Options o = new Options(from);
            told += loading + ":" + o.lazy + "," + o.collect + "," + o.load + " ";
        }
        assertEquals(":false,null,null lazy:true,null,null collect:false,f,null eager:true,null,f ", told);
    }
}
