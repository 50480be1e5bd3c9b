package com.example.invites;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RedeemTest {

    @Test
    void aFreshCodeIsGood() {
        assertTrue(Invitations.redeem("SPRING-2024"));
    }

    @Test
    void aUsedCodeIsNot() {
        Invitations.redeem("AUTUMN-2023");

        assertFalse(Invitations.redeem("AUTUMN-2023"));
    }
}
