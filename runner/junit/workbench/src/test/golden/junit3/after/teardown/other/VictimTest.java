package other;

import app.Registry;
import junit.framework.TestCase;

public class VictimTest extends TestCase {

	private int n;

	@Override
	protected void tearDown() throws Exception {
		Registry.getInstance().reset();
		super.tearDown();
	}

	public void testVictim() {
		assertEquals(0, n);
	}
}