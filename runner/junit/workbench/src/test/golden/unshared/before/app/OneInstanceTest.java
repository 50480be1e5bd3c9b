package app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OneInstanceTest {
    private List<String> cart;

    @BeforeAll
    void fill() {
        cart = new ArrayList<>(List.of("tea"));
    }

    @AfterAll
    void empty() {
        cart.clear();
    }

    @Test
    void adds() {
        cart.add("milk");
        assertEquals(2, cart.size());
    }

    @Test
    void holdsTea() {
        assertEquals(1, cart.size());
    }
}
