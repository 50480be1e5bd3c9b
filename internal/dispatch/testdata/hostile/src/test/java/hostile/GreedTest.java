package hostile;

import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

/** Takes as much as it gets. */
public class GreedTest {

    /** Passes where there is an end to it. */
    @Test
    public void processes() throws Exception {
        List<Process> all = new ArrayList<>();
        try {
            while (all.size() < 3000) {
                all.add(new ProcessBuilder("sleep", "600").start());
            }
        } catch (IOException | OutOfMemoryError refused) {
            // what is wanted
        } finally {
            all.forEach(Process::destroyForcibly);
        }
        assertTrue(all.size() + " processes", all.size() < 3000);
    }

    /** More than the job may have, outside the heap and touched. Never passes where that is capped. */
    @Test
    public void memory() {
        List<ByteBuffer> all = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            ByteBuffer b = ByteBuffer.allocateDirect(64 << 20);
            for (int at = 0; at < b.capacity(); at += 4096) {
                b.put(at, (byte) 1);
            }
            all.add(b);
        }
    }

    /** Files of 64 MiB until somebody says stop, and then waits to be stopped. */
    @Test
    public void disk() throws Exception {
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < 32; i++) {
            try (OutputStream out = Files.newOutputStream(Paths.get("target", "big" + i))) {
                for (int j = 0; j < 64; j++) {
                    out.write(block);
                }
            }
        }
        Thread.sleep(60_000);
    }

    /** One file, for as long as it may grow. Passes where there is an end to it. */
    @Test
    public void file() throws Exception {
        byte[] block = new byte[1 << 20];
        long written = 0;
        try (OutputStream out = Files.newOutputStream(Paths.get("target", "huge"))) {
            for (; written < 2048; written++) {
                out.write(block);
            }
        } catch (IOException refused) {
            // what is wanted
        } finally {
            Files.deleteIfExists(Paths.get("target", "huge"));
        }
        assertTrue(written + " MiB", written < 2048);
    }
}
