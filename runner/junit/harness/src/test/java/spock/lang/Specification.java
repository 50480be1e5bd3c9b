package spock.lang;

/** Stands for Spock's: only its name matters to the harness. */
public abstract class Specification {}
