package com.example.post;

/** Puts what customers bring into an outbox. */
public class Clerk {
  private final Outbox outbox;

  public Clerk(Outbox outbox) {
    this.outbox = outbox;
  }

  public void take(String... letters) {
    for (String l : letters) {
      outbox.put(l.trim());
    }
  }
}
