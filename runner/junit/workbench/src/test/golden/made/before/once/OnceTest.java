package once;

import static org.junit.Assert.assertEquals;

import java.util.Locale;
import org.junit.BeforeClass;
import org.junit.Test;

public class OnceTest {

    @BeforeClass
    public static void inGermany() {
        Locale.setDefault(Locale.GERMANY);
    }

    @Test
    public void hasAComma() {
        assertEquals("1,5", String.format("%.1f", 1.5));
    }
}
