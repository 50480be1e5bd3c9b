package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class SetupTest {
	private final List<String> context = new ArrayList<String>();
	private static final String NAME = "x";

	/** Hands on what the context gives. */
	private List<String> handler;
	static StringBuilder log = new StringBuilder(name(NAME));

	@Before
	public void setUp() {
		handler = with(NAME);
	}

	private List<String> with(String name) {
		context.add(name);
		return context;
	}

	static String name(String n) {
		return n;
	}

	@Test
	public void one() {
		handler.add("1");
		assertEquals(2, context.size());
	}

	@Test
	public void two() {
		log.append(2);
		assertEquals(1, handler.size());
	}

	@After
	public void done() {
		handler.clear();
	}
}
