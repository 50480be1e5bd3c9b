package other;

import app.NamedTest;
import junit.framework.TestCase;

public class VictimTest extends TestCase {

	private int n;

	public void testVictim() {
		new NamedTest("testOwn").restoreSharedState();
		assertEquals(0, n);
	}
}