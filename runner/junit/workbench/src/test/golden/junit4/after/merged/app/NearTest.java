package app;

import java.util.Arrays;
import java.util.List;
import org.junit.Assert;
import org.junit.Before;
import org.junit.Test;

public class NearTest
{
	private Registry registry;

	@Before
	public void prepare()
	{
		registry = Registry.getInstance();
	}

	@Test
	public void victim()
	{
		Registry registry2 = Registry.getInstance();
		List<String> more = Arrays.asList("x", "y");
		registry2.addAll(more);
		Assert.assertNotNull(registry);
	}
}
