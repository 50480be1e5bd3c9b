/**
 * JUnit 4.5 to 4.13: the project's own runners, made to run chosen tests in a chosen order.
 *
 * <p>JUnit's own means do not suffice: a Sorter is refused on classes with
 * {@code @FixMethodOrder}, equal descriptions cannot be distinguished, and some runners
 * are not Sortable. So the children that a runner is going to run are set directly
 * where they can be found; Filter and Sorter are used besides; and the result is
 * compared with the order, before the run (descriptions) and during it (events).
 */
package io.odfix.harness.junit4;
