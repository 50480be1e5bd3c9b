package org.springframework.test.annotation;

public @interface DirtiesContext {}
