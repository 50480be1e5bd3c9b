"""Writes a Maven project of 200 classes with 10 tests each: one of them pollutes,
one of them is its victim, one cleans up. Usage: synthetic.py DIR"""
import os, sys

root = sys.argv[1]
src = os.path.join(root, "src/test/java/com/example/many")
os.makedirs(src, exist_ok=True)
open(os.path.join(root, "pom.xml"), "w").write("""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId><artifactId>many</artifactId><version>1</version>
  <properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
  <dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
  <build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version><configuration><runOrder>alphabetical</runOrder></configuration></plugin></plugins></build>
</project>
""")
open(os.path.join(src, "State.java"), "w").write("package com.example.many;\nfinal class State { static int level; static void reset() { level = 0; } }\n")
special = {(57, 3): "State.level = 7;", (160, 4): "State.level = 3; State.reset();", (190, 5): "org.junit.Assert.assertEquals(0, State.level);"}
order = []
for c in range(200):
    tests = ""
    for m in range(10):
        body = special.get((c, m), "org.junit.Assert.assertTrue(\"x\".length() == 1);")
        tests += "  @org.junit.Test public void t%d() { %s }\n" % (m, body)
        order.append((c, m))
    open(os.path.join(src, "C%03dTest.java" % c), "w").write("package com.example.many;\npublic class C%03dTest {\n%s}\n" % (c, tests))
# The failing order leaves the cleaner behind the victim.
order.remove((160, 4))
order.append((160, 4))
open(os.path.join(root, "failing.txt"), "w").write("".join("com.example.many.C%03dTest#t%d\n" % o for o in order))
