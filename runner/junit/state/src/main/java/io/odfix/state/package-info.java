/**
 * What tests do with static state: which static fields each test gets and puts, and which it leaves
 * changed. An agent weaves a call in front of each getstatic and putstatic of the project and its
 * dependencies (Li et al., ISSTA 2023, section 3.3), and between tests walks what the fields hold.
 *
 * <p>Everything here is loaded by the bootstrap class loader, except {@link io.odfix.state.Agent}.
 * Woven classes call a class in java.lang, which every class loader can see. Invariants: no code of
 * the project is called; no object of it is changed or kept alive; what is not known is reported as
 * unsure; and a class that cannot be woven runs as it is, and is named.
 */
package io.odfix.state;
