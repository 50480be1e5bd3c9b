package com.example.post;

import static org.junit.Assert.assertEquals;

import org.junit.BeforeClass;
import org.junit.Test;

public class ClerkTest {
  private static final Outbox outbox = new Outbox();
  private static Clerk clerk;

  @BeforeClass
  public static void openTheCounter() {
    clerk = new Clerk(outbox);
  }

  @Test
  public void takesALetter() {
    clerk.take("to Aunt Mae");
    assertEquals(1, outbox.waiting());
  }

  @Test
  public void takesManyLetters() {
    clerk.take("to Ben", " to Harry", "to Norman ");
    assertEquals(3, outbox.waiting());
  }
}
