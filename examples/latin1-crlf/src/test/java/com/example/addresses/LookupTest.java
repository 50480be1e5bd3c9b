package com.example.addresses;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;

import org.junit.Test;

public class LookupTest {

	// Prüft auch, daß Umlaute hinter dem Z stehen: Ä > Z.
	@Test
	public void sortiertNachNamen() {
		AddressBook.add("Ärmel, Anna");
		AddressBook.add("Zaun, Zoë");
		try {
			assertEquals(Arrays.asList("Zaun, Zoë", "Ärmel, Anna"), AddressBook.sorted());
		} finally {
			AddressBook.remove("Ärmel, Anna");
			AddressBook.remove("Zaun, Zoë");
		}
	}
}
