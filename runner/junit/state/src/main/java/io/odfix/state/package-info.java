/**
 * What tests do with static state: which static fields each one gets and puts, and which it leaves
 * changed. An agent weaves a call in front of each getstatic and putstatic of the project and its
 * dependencies (Li et al., ISSTA 2023, section 3.3), and between tests walks what the fields hold.
 *
 * <p>Everything here lives in the bootstrap class loader, apart from {@link io.odfix.state.Agent};
 * woven classes call a class in java.lang, which every class loader can see. Invariants: no code of
 * the project is called; no object of it is changed or kept alive; what cannot be told is reported
 * as unsure; and a class that cannot be woven runs as it is, and is named.
 */
package io.odfix.state;
