package com.example.hours;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
public class HotelConfiguration {
    @Bean
    public Reception reception() {
        return new Reception(22);
    }

    @Bean
    public GuestBook guestBook() {
        return new GuestBook();
    }

    @Bean
    public Lift lift() {
        return new Lift();
    }
}
