package io.odfix.state;

/** Stands for an object that is told apart from others by a name, and by a number where it has one. */
final class Named {
    final String name;
    final long number;

    Named(String name, long number) {
        this.name = name;
        this.number = number;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof Named && ((Named) o).number == number && ((Named) o).name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + (int) number;
    }
}
