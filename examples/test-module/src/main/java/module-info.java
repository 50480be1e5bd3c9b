module com.example.badges {
    exports com.example.badges;
}
