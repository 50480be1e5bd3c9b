package other;

import app.HelperTest;
import junit.framework.TestCase;

public class VictimTest extends TestCase {

	private int n;

	public void testVictim() {
		new HelperTest().restoreSharedState();
		assertEquals(0, n);
	}
}