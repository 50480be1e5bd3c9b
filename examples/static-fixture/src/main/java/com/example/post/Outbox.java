package com.example.post;

import java.util.ArrayList;
import java.util.List;

/** Letters that wait for the van. What was put in is taken out by nobody else. */
public class Outbox {
  private final List<String> letters = new ArrayList<>();

  public void put(String letter) {
    letters.add(letter);
  }

  public int waiting() {
    return letters.size();
  }
}
