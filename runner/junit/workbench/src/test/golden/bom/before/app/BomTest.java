package app;

import org.junit.Test;

public class BomTest {
	@Test
	public void ünïcode() {
		String s = "𝒳 → ü"; Registry.getInstance().add(s);
		Registry.getInstance().reset();
	}
}