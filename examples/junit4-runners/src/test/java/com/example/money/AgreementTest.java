package com.example.money;

import static org.junit.Assert.assertEquals;

import java.math.RoundingMode;

import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

@RunWith(Enclosed.class)
public class AgreementTest {

    public static class WhileItHolds {

        @Test
        public void halvesGoToTheEvenNeighbour() {
            assertEquals("0.12", Money.cents("0.125"));
        }
    }

    public static class WhenItChanges {

        @Test
        public void halvesGoUp() {
            Money.roundWith(RoundingMode.HALF_UP);

            assertEquals("0.13", Money.cents("0.125"));
        }

        @Test
        public void itCanBeTakenBack() {
            Money.roundAsUsual();

            assertEquals("0.38", Money.cents("0.375"));
        }
    }
}
