package app;

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
		Registry.getInstance().reset();
		Registry.getInstance().reset();
		Assert.assertNotNull(registry);
	}
}
