package com.example.addresses;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ClosingTest {

	@Test
	public void nachFeierabendIstEsLeer() {
		AddressBook.add("Jörg Müller");
		AddressBook.close();

		assertEquals("ß bleibt ß: das Buch ist leer", 0, AddressBook.sorted().size());
	}
}
