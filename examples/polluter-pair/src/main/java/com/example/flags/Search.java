package com.example.flags;

/** Chooses how to search. The semantic engine needs both its index and its ranking. */
public final class Search {

    public String engine() {
        return Flags.isOn("vector-index") && Flags.isOn("new-ranking") ? "semantic" : "keyword";
    }
}
