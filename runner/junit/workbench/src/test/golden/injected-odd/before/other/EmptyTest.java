package other;

public class EmptyTest extends BaseTest {
}
