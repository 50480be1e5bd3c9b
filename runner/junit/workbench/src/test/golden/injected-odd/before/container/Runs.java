package container;

public @interface Runs {
  Class<?> value();
}
