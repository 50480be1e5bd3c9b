package app;

public class InheritingBeanTest extends BeanTest {
}
