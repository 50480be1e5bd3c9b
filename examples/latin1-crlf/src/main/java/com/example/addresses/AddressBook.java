package com.example.addresses;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Namen und Straﬂen; es gibt nur ein Buch. */
public final class AddressBook {

	private static final List<String> NAMES = new ArrayList<String>();

	private AddressBook() {
	}

	public static void add(String name) {
		NAMES.add(name);
	}

	public static List<String> sorted() {
		List<String> copy = new ArrayList<String>(NAMES);
		Collections.sort(copy);
		return copy;
	}

	public static void remove(String name) {
		NAMES.remove(name);
	}

	/** Schlieﬂt das Buch und vergiﬂt alles. */
	public static void close() {
		NAMES.clear();
	}
}
