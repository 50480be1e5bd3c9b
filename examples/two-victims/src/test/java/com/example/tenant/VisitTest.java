package com.example.tenant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VisitTest {

    @Test
    void afterLeavingEverythingIsPublic() {
        Tenant.enter("globex");
        Tenant.leave();

        assertEquals("public", Tenant.current());
    }
}
