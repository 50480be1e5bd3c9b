package other;

import app.Registry;
import junit.framework.TestCase;

public class VictimTest extends TestCase {

	private int n;

	@Override
	protected void setUp() throws Exception {
		super.setUp();
		Registry.getInstance().reset();
	}

	public void testVictim() {
		assertEquals(0, n);
	}
}