package com.example.post;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OutboxTest {
  private static final Outbox outbox = new Outbox();

  @Test
  public void aLetterWaits() {
    outbox.put("to Aunt Mae");
    assertEquals(1, outbox.waiting());
  }

  @Test
  public void severalLettersWait() {
    outbox.put("to Ben");
    outbox.put("to Harry");
    assertEquals(2, outbox.waiting());
  }
}
