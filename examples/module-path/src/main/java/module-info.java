module com.example.turnstile {
    exports com.example.turnstile;
}
