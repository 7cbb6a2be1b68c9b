package dev.queencell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tools.jackson.databind.json.JsonMapper;

class PopResultTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  @Provide
  Arbitrary<List<String>> payloads() {
    Arbitrary<Object> scalar =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(20).map(s -> s),
            Arbitraries.longs().map(n -> n),
            Arbitraries.doubles().map(d -> d),
            Arbitraries.of(true, false));
    Arbitrary<Object> value =
        Arbitraries.lazyOf(
            () -> scalar,
            () -> scalar.list().ofMaxSize(4).map(l -> l),
            () ->
                Arbitraries.maps(Arbitraries.strings().ofMaxLength(6), scalar)
                    .ofMaxSize(4)
                    .map(m -> m));
    return value.injectNull(0.05).map(JSON::writeValueAsString).list().ofMaxSize(40);
  }

  @Property
  void anyPayloadsSliceIsExactlyTheTextThatWasPushed(@ForAll("payloads") List<String> payloads) {
    var messages =
        payloads.stream()
            .map(p -> "{\"id\" : \"ü\",\"data\":" + p + " ,\"deliveryAttempt\":1}")
            .collect(Collectors.joining(", "));
    var answer = "{\"messages\":[" + messages + "],\"other\":{\"messages\":[{}]}}";

    var popped = PopResult.parse(answer.getBytes(StandardCharsets.UTF_8));

    assertEquals(
        payloads,
        popped.messages().stream()
            .map(m -> new String(m.payload(), StandardCharsets.UTF_8))
            .toList());
    popped.messages().forEach(m -> assertEquals("ü", m.id()));
  }
}
