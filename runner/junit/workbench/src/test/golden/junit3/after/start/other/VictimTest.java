package other;

import app.Registry;
import junit.framework.TestCase;

public class VictimTest extends TestCase {

	private int n;

	public void testVictim() {
		Registry.getInstance().reset();
		assertEquals(0, n);
	}
}