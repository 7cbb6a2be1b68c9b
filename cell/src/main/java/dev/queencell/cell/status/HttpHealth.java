package dev.queencell.cell.status;

import dev.queencell.cell.output.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import tools.jackson.core.JacksonException;

/** Asks a service's health endpoint. Thread-safe. */
final class HttpHealth implements AutoCloseable {
  private static final int DETAIL_CHARACTERS_MAX = 120;

  private final Duration answerDeadline;
  private final HttpClient client;

  /** Gives each answer {@code answerDeadline} to come. */
  HttpHealth(Duration answerDeadline) {
    this.answerDeadline = answerDeadline;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(answerDeadline)
            .build();
  }

  /** The health by {@code url}: 200 is well; a broker that is not the leader says so in "role". */
  Health ask(String url) {
    try {
      var answer =
          client.send(
              HttpRequest.newBuilder(URI.create(url)).timeout(answerDeadline).build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200
          ? Health.well(role(answer.body()))
          : Health.unwell(
              "answered %d %s".formatted(answer.statusCode(), shortened(answer.body())));
    } catch (IOException e) {
      return Health.unwell("no answer (%s)".formatted(e.getClass().getSimpleName()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Health.unwell("interrupted");
    }
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  private static String role(String body) {
    try {
      return Json.mapper().readTree(body).path("role").asString("");
    } catch (JacksonException e) {
      return "";
    }
  }

  private static String shortened(String text) {
    var line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= DETAIL_CHARACTERS_MAX
        ? line
        : line.substring(0, DETAIL_CHARACTERS_MAX) + "…";
  }
}
