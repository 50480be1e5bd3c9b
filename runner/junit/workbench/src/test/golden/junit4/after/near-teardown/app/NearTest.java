package app;

import org.junit.After;
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
	}

	@After
	public void cleanUpSharedState()
	{
		Registry.clear(LIMIT, 5L);
	}

	@Test
	public void victim()
	{
		Assert.assertNotNull(registry);
	}
}
