package other;

import container.Autowired;
import container.Store;
import org.junit.Before;

public class EmptyTest extends BaseTest {
    @Autowired(
        required = true)
    private Store<String> store;

    @Before
    public void prepareSharedState() {
        store.clear();
    }
}
