package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void writesEveryKindOfValue() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("text", "a\"b\\c\nd\u00e9");
        map.put("number", 7);
        map.put("flag", true);
        map.put("nothing", null);
        map.put("file", new File("/x"));
        map.put("list", Arrays.asList("p", new String[] {"q"}));
        map.put("empty", Collections.emptyMap());
        assertEquals("{\"text\":\"a\\\"b\\\\c\\u000ad\\u00e9\",\n\"number\":7,\n\"flag\":true,\n\"nothing\":null,\n"
                + "\"file\":\"/x\",\n\"list\":[\"p\",[\"q\"]],\n\"empty\":{}}\n", Json.write(map));
    }

    @Test
    void keepsDefaultsOfProperties() {
        Properties defaults = new Properties();
        defaults.setProperty("a", "1");
        Properties properties = new Properties(defaults);
        properties.setProperty("b", "2");
        assertEquals("{\"a\":\"1\",\n\"b\":\"2\"}\n", Json.write(properties));
    }

    @Test
    void knowsKeysThatAreNoTexts() {
        assertEquals("{\"1\":\"x\"}\n", Json.write(Collections.singletonMap(1, "x")));
    }

    @Test
    void tellsPlainValuesFromObjects() {
        assertTrue(Json.isPlain(Arrays.asList(1, "x", new File("y"), null)));
        assertFalse(Json.isPlain(Collections.singletonMap("k", new Object())));
        assertFalse(Json.isPlain(new Object[] {"x", Thread.currentThread()}));
    }
}
