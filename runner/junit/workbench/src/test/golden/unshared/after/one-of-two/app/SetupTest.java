package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Test;

public class SetupTest {
	private final static List<String> context = new ArrayList<String>();
	private static final String NAME = "x";

	/** Hands on what the context gives. */
	private static List<String> handler;
	StringBuilder log = new StringBuilder(name(NAME));

	@BeforeClass
	public static void setUp() {
		handler = with(NAME);
	}

	private static List<String> with(String name) {
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

	@AfterClass
	public static void done() {
		handler.clear();
	}
}
