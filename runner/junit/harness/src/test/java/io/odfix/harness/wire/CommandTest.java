package io.odfix.harness.wire;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;
import static org.junit.Assert.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.Test;

public class CommandTest {
    private static byte[] bytes(Frame frame) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new Events(out).send(frame);
        return out.toByteArray();
    }

    private static Command read(byte... bytes) throws IOException {
        return Command.read(new ByteArrayInputStream(bytes));
    }

    @Test
    public void readsWhatFramesWrite() throws Exception {
        String odd = "\u0000ü\uD83D\uDE00" + new String(new char[70000]).replace('\0', 'x');
        Command command = read(bytes(new Frame('R').i64(-2).str(odd).strs(Arrays.asList("a", "", "b")).u8(9)));
        assertEquals('R', command.type());
        assertEquals(-2, command.i64());
        assertEquals(odd, command.str());
        assertEquals(Arrays.asList("a", "", "b"), command.strs());
    }

    @Test
    public void tellsTheEndFromACut() throws Exception {
        assertNull(read());
        assertThrows(EOFException.class, () -> read((byte) 0, (byte) 0));
        assertThrows(EOFException.class, () -> read((byte) 0, (byte) 0, (byte) 0, (byte) 9, (byte) 'R'));
        assertThrows(IOException.class, () -> read((byte) 0, (byte) 0, (byte) 0, (byte) 0));
        assertThrows(IOException.class, () -> read((byte) -1, (byte) -1, (byte) -1, (byte) -1));
    }

    /** Any body is read or refused; the seed is fixed so that a failure comes again. */
    @Test
    public void anyBodyIsReadOrMalformed() throws Exception {
        Random random = new Random(3);
        for (int i = 0; i < 20000; i++) {
            byte[] frame = new byte[1 + random.nextInt(24)];
            random.nextBytes(frame);
            if (random.nextBoolean()) {
                Arrays.fill(frame, 1, Math.min(frame.length, 4), (byte) 0);
            }
            Command command = new Command(frame);
            try {
                command.strs();
                command.str();
                command.i64();
            } catch (Command.Malformed e) {
                continue;
            }
        }
    }
}
