package dev.queencell.broker.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.queencell.service.HttpProblem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTest {
  @Test
  void valuesAreReadByName() {
    var query = Query.parse("a=1&b=&c&=d&e==&a=2&f%20g=x+y%2Bz&t=true&u=0&n=-9999999999");
    assertEquals("2", query.text("a"));
    assertNull(query.text("b"));
    assertNull(query.text("c"));
    assertNull(query.text("missing"));
    assertEquals("=", query.text("e"));
    assertEquals("x y+z", query.text("f g"));
    assertTrue(query.flag("t"));
    assertFalse(query.flag("u"));
    assertFalse(query.flag("missing"));
    assertEquals(2, query.integer("a", 7));
    assertEquals(7, query.integer("missing", 7));
    assertEquals(Integer.MIN_VALUE, query.integer("n", 7));
    assertNull(Query.parse(null).text("a"));
    assertNull(Query.parse("").text("a"));
  }

  @Property
  void whatIsEncodedComesBack(@ForAll String text) {
    if (Utf8.encodedLength(text) > 0) {
      var encoded = URLEncoder.encode(text, StandardCharsets.UTF_8);
      assertEquals(text, Query.parse("x=y&a=" + encoded + "&z").text("a"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a=%", "a=%4", "a=%zz", "a=%ff", "a=%ED%A0%80", "%=1", "a=b%0"})
  void badEncodingsAreRefused(String raw) {
    assertEquals(400, assertThrows(HttpProblem.class, () -> Query.parse(raw)).status());
  }

  @Test
  void valuesOfTheWrongTypeAreRefusedByName() {
    var query = Query.parse("n=1.5&f=yes");
    assertEquals(
        "bad query: n is '1.5'; it takes a whole number",
        assertThrows(HttpProblem.class, () -> query.integer("n", 1)).getMessage());
    assertEquals(
        "bad query: f is 'yes'; it takes true or false",
        assertThrows(HttpProblem.class, () -> query.flag("f")).getMessage());
  }
}
