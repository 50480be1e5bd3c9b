package app;

import org.junit.Assert;
import org.junit.Before;
import org.junit.Test;

import static app.Constants.LIMIT;

public class NearTest
{
	private Registry registry;

	@Before
	public void prepare()
	{
		registry = Registry.getInstance();
		Registry.clear(LIMIT, 5L);
	}

	@Test
	public void victim()
	{
		Assert.assertNotNull(registry);
	}
}
