package com.example.invoices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class ManyInvoicesTest {

    @Test
    void noNumberIsGivenTwice() {
        assertNotEquals(InvoiceNumbers.next(), InvoiceNumbers.next());
    }

    @Test
    void theFormatHasFourDigits() {
        assertEquals("INV-0042", String.format("INV-%04d", 42));
    }
}
