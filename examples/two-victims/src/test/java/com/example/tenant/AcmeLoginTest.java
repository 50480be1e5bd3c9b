package com.example.tenant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class AcmeLoginTest {

    @Test
    void servesTheTenantOfTheLogin() {
        Tenant.enter("acme");

        assertEquals("acme", Tenant.current());
    }
}
