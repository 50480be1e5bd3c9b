package io.odfix.state;

/** The description of an object that has a name, and possibly a number. */
final class NamedObject {
    final String name;
    final long number;

    NamedObject(String name, long number) {
        this.name = name;
        this.number = number;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof NamedObject && ((NamedObject) o).number == number && ((NamedObject) o).name.equals(name);
    }

    @Override
    public int hashCode() {
        return name.hashCode() * 31 + (int) number;
    }
}
