package app;

import org.junit.Before;
import org.junit.Test;

public class BomTest {
	@Before
	public void prepareSharedState() {
		String s = "𝒳 → ü";
		Registry.getInstance().add(s);
		Registry.getInstance().reset();
	}

	@Test
	public void ünïcode() {
		String s = "𝒳 → ü"; Registry.getInstance().add(s);
		Registry.getInstance().reset();
	}
}