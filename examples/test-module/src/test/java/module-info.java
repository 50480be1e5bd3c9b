open module com.example.badges.tests {
    requires com.example.badges;
    requires org.junit.jupiter.api;
}
