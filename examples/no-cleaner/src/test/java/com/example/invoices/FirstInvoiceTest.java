package com.example.invoices;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FirstInvoiceTest {

    @Test
    void isNumberOne() {
        assertEquals("INV-0001", InvoiceNumbers.next());
    }
}
