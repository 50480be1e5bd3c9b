package orders;

/** The state that the tests share. */
final class Counter {
    static int value;

    private Counter() {
    }
}
