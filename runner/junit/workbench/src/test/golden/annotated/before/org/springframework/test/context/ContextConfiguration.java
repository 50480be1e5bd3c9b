package org.springframework.test.context;

public @interface ContextConfiguration {}
