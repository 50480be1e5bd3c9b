package orders;

import java.io.FileOutputStream;
import java.util.concurrent.CountDownLatch;

import org.junit.Test;

public class DeadlyTest {
    @Test
    public void exits() {
        System.exit(3);
    }

    @Test
    public void halts() {
        Runtime.getRuntime().halt(5);
    }

    @Test
    public void hangs() throws Exception {
        try (FileOutputStream here = new FileOutputStream(System.getProperty("here"))) {
            here.write(1);
        }
        new CountDownLatch(1).await();
    }

    @Test
    public void closesStandardOutput() {
        System.out.close();
        System.err.close();
    }
}
