package com.example.tenant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class UploadTest {

    @Test
    void goesToTheTenantsFolder() {
        assertEquals("/public/uploads/logo.png", Paths.upload("logo.png"));
    }

    @Test
    void keepsTheNameOfTheFile() {
        assertTrue(Paths.upload("logo.png").endsWith("/logo.png"));
    }
}
