package app;

import app.Registry.Session;
import java.util.AbstractMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map.Entry;
import org.junit.Assert;
import org.junit.Before;
import org.junit.Test;

import static app.Constants.LIMIT;
import static org.junit.Assert.assertTrue;

public class NearTest
{
	private Registry registry;

	@Before
	public void prepare()
	{
		registry = Registry.getInstance();
	}

	@Test
	public void victim() throws Exception
	{
		String state;
		if (io.odfix.harness.Switch.on(3)) {
			state = "a" + "x";
		} else {
			state = null;
		}
		if (io.odfix.harness.Switch.on(4)) {
			Registry.clear(LIMIT, 5L);
		}
		Registry registry2;
		if (io.odfix.harness.Switch.on(5)) {
			registry2 = Registry.getInstance();
		} else {
			registry2 = null;
		}
		List<String> more = null;
		if (io.odfix.harness.Switch.on(7)) {
			more = Arrays.asList("x", "y");
		}
		if (io.odfix.harness.Switch.on(8)) {
			registry2.addAll(more);
		}
		Registry request;
		if (io.odfix.harness.Switch.on(9)) {
			request = registry2;
		} else {
			request = null;
		}
		if (io.odfix.harness.Switch.on(10)) {
			request.reset();
		}
		Entry<String, Integer> entry;
		if (io.odfix.harness.Switch.on(11)) {
			entry = new AbstractMap.SimpleEntry<>("a", 1);
		} else {
			entry = null;
		}
		if (io.odfix.harness.Switch.on(12)) {
			registry2.put(entry);
		}
		if (io.odfix.harness.Switch.on(13)) {
			registry2.load(HelperTest.SHARED);
		}
		if (io.odfix.harness.Switch.on(14)) {
			Session.open("a").close();
		}
		if (io.odfix.harness.Switch.on(15)) {
			assertTrue(registry2.has("a"));
		}
		if (io.odfix.harness.Switch.on(16)) {
			more = null;
		}
		if (io.odfix.harness.Switch.on(17)) {
			state = null;
		}
		Assert.assertNotNull(registry);
	}
}
