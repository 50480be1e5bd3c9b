package other;

import junit.framework.TestCase;

public class VictimTest extends TestCase {

	private int n;

	public void testVictim() {
		assertEquals(0, n);
	}
}