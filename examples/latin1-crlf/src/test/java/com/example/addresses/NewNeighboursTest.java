package com.example.addresses;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class NewNeighboursTest {

	@Test
	public void einFranzoseZiehtEin() {
		AddressBook.add("Lefèvre, François");

		assertTrue(AddressBook.sorted().contains("Lefèvre, François"));
	}
}
