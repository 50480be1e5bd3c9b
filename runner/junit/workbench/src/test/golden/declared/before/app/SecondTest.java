package app;

public class SecondTest extends BaseCase {
}
