package container;

public @interface Autowired {
  boolean required() default true;
}
