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
		Registry.clear(LIMIT, 5L);
		registry = Registry.getInstance();
	}

	@Test
	public void victim()
	{
		Assert.assertNotNull(registry);
	}
}
