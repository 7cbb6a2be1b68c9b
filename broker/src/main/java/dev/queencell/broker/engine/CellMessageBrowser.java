package dev.queencell.broker.engine;

import dev.queencell.broker.engine.BrowseTasks.Candidate;
import dev.queencell.broker.engine.BrowseTasks.Position;
import dev.queencell.broker.engine.BrowseTasks.State;
import dev.queencell.broker.engine.BrowseWalk.Step;
import dev.queencell.broker.store.BrowseReader;
import dev.queencell.broker.store.BrowseReader.Address;
import dev.queencell.broker.store.Frames;
import dev.queencell.broker.store.Segment;
import dev.queencell.broker.store.SegmentReader;
import dev.queencell.broker.store.Slice;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Browses beside the lanes: they tell which partitions there are and how far their readers are; the
 * segments are read on a session for reads. A message's fate follows from its offset alone, so that
 * what a filter leaves out is never read.
 */
final class CellMessageBrowser implements MessageBrowser {
  /** Segments whose readers and dead letters are asked for at once. */
  private static final int CHUNK_SEGMENTS = 64;

  /** One message is looked for in no more segments than this, newest first. */
  private static final int FIND_SEGMENTS_MAX = 5_000;

  private static final int FIND_STEP_SEGMENTS = 50;

  private final LaneCalls calls;
  private final CellReads reads;

  CellMessageBrowser(LaneCalls calls, CellReads reads) {
    this.calls = calls;
    this.reads = reads;
  }

  /** A message that belongs on the page, before it is read. */
  private record Wanted(Step step, State state, long offset, boolean dead) {}

  @Override
  public Page list(UUID tenant, Filter filter) {
    var parts = calls.onEvery(tenant, lane -> BrowseTasks.candidates(lane, tenant, filter));
    var groups = new HashSet<String>();
    var candidates = new ArrayList<Candidate>();
    boolean complete = true;
    for (var part : parts) {
      groups.addAll(part.groups());
      candidates.addAll(part.all());
      complete &= part.complete();
    }
    candidates.sort(Comparator.comparingLong(Candidate::newestMicros).reversed());
    complete &= candidates.size() <= PARTITIONS_MAX;
    var newest = candidates.subList(0, Math.min(candidates.size(), PARTITIONS_MAX));
    boolean queueMode = groups.remove(PopRequest.QUEUE_MODE);
    var readers = new Readers(queueMode, groups.size());
    if (newest.isEmpty() || filter.limit() == 0) {
      return new Page(List.of(), readers, complete);
    }
    boolean allSeen = complete;
    return reads.read(
        session -> {
          var reader = new BrowseReader(session);
          var walk = new BrowseWalk(reader, newest, filter.fromMicros(), filter.toMicros());
          var selection = new Selection(tenant, filter);
          boolean ended = selection.fill(walk, reader);
          var messages = read(session, selection.wanted);
          return new Page(
              messages, readers, allSeen && ended && messages.size() == selection.wanted.size());
        });
  }

  /** Picks the messages of a page by their fate. */
  private final class Selection {
    private final UUID tenant;
    private final Filter filter;
    private final List<Wanted> wanted = new ArrayList<>();
    private int skipped;
    private int segments;
    private int messages;

    Selection(UUID tenant, Filter filter) {
      this.tenant = tenant;
      this.filter = filter;
    }

    /** Fills the page; false when a limit ended the walk before the page or the walk was full. */
    boolean fill(BrowseWalk walk, BrowseReader reader) throws SQLException {
      while (wanted.size() < filter.limit()) {
        var chunk = new ArrayList<Step>();
        Step step = null;
        while (chunk.size() < CHUNK_SEGMENTS && (step = walk.next()) != null) {
          chunk.add(step);
        }
        if (chunk.isEmpty()) {
          return true;
        }
        select(chunk, reader);
        segments += chunk.size();
        if (segments >= SEGMENTS_MAX || messages >= MESSAGES_MAX) {
          return wanted.size() == filter.limit();
        }
      }
      return true;
    }

    private void select(List<Step> chunk, BrowseReader reader) throws SQLException {
      Set<Candidate> asked = new LinkedHashSet<>();
      chunk.forEach(step -> asked.add(step.candidate()));
      Map<Long, State> states = new HashMap<>();
      calls
          .onEvery(tenant, lane -> BrowseTasks.states(lane, tenant, asked))
          .forEach(states::putAll);
      var dead = reader.deadOffsets(chunk.stream().map(Step::head).toList());
      for (var step : chunk) {
        var state = states.get(step.head().partitionId());
        if (state != null) {
          select(step, state, dead);
        }
      }
    }

    private void select(Step step, State state, Set<Address> dead) {
      long first = Math.max(step.head().base(), step.candidate().firstOffset());
      for (long offset = step.head().end() - 1;
          offset >= first && wanted.size() < filter.limit() && messages < MESSAGES_MAX;
          offset--) {
        messages++;
        boolean isDead = dead.contains(new Address(step.head().partitionId(), offset));
        if (filter.status() != null && filter.status() != status(state, offset, isDead)) {
          continue;
        }
        if (skipped < filter.offset()) {
          skipped++;
        } else {
          wanted.add(new Wanted(step, state, offset, isDead));
        }
      }
    }
  }

  private static Status status(State state, long offset, boolean dead) {
    if (dead) {
      return Status.DEAD_LETTER;
    }
    var byQueueMode = queueStatus(state, offset);
    boolean held = state.positions().stream().anyMatch(position -> position.holds(offset));
    return byQueueMode == Status.PENDING && held ? Status.PROCESSING : byQueueMode;
  }

  private static Status queueStatus(State state, long offset) {
    return state.positions().stream()
        .filter(Position::isQueueMode)
        .map(position -> position.status(offset))
        .findFirst()
        .orElse(Status.PENDING);
  }

  /** Reads what was picked; ends early, and says so by what is missing, when it gets too large. */
  private static List<Message> read(Connection session, List<Wanted> wanted) throws SQLException {
    var reader = new SegmentReader(session);
    var messages = new ArrayList<Message>(wanted.size());
    long bytes = 0;
    for (int at = 0; at < wanted.size() && bytes < PAGE_BYTES_MAX; ) {
      var head = wanted.get(at).step().head();
      int end = at + 1;
      while (end < wanted.size() && wanted.get(end).step().head().equals(head)) {
        end++;
      }
      var found =
          reader.forward(
              SegmentReader.Place.of(head.partitionId()),
              head.base(),
              head.end(),
              1,
              Long.MAX_VALUE);
      // Retention may have taken it since.
      if (!found.isEmpty() && found.getFirst().base() == head.base()) {
        for (var message : wanted.subList(at, end)) {
          var read = message(found.getFirst(), message);
          messages.add(read);
          bytes += read.payload().length();
          if (bytes >= PAGE_BYTES_MAX) {
            break;
          }
        }
      }
      at = end;
    }
    return messages;
  }

  private static Message message(Segment segment, Wanted wanted) {
    var frame = new Frames.Reader(segment.frames());
    frame.skip((int) (wanted.offset() - segment.base()));
    frame.next();
    return message(
        frame, segment, wanted.offset(), wanted.step().candidate(), wanted.state(), wanted.dead());
  }

  private static Message message(
      Frames.Reader frame,
      Segment segment,
      long offset,
      Candidate candidate,
      State state,
      boolean dead) {
    var key = TransactionKey.of(frame);
    int consumedBy = 0;
    Instant leaseExpiresAt = null;
    for (var position : state.positions()) {
      consumedBy += !position.isQueueMode() && offset <= position.committed() ? 1 : 0;
      if (position.holds(offset) && (leaseExpiresAt == null || position.isQueueMode())) {
        leaseExpiresAt = position.leaseExpiresAt();
      }
    }
    return new Message(
        candidate.place(),
        frame.id(),
        frame.transactionId(),
        new UUID(key.high(), key.low()),
        frame.traceId(),
        frame.producer(),
        frame.payload(),
        offset,
        segment.base(),
        segment.createdAtMicros(),
        status(state, offset, dead),
        queueStatus(state, offset),
        consumedBy,
        state.groups(),
        leaseExpiresAt);
  }

  /** A partition that is there, with its readers. */
  private record Known(Candidate candidate, State state) {}

  @Override
  public Optional<Detail> find(UUID tenant, String partitionId, Slice transactionId) {
    var id = PartitionId.parse(partitionId);
    var queue = id == null ? null : calls.term().queue(id.queue());
    if (queue == null || !queue.key.tenant().equals(tenant)) {
      return Optional.empty();
    }
    return calls
        .onQueue(tenant, queue.key.name(), lane -> known(lane, tenant, queue.key.name(), id))
        .flatMap(known -> reads.read(session -> find(session, known, transactionId)));
  }

  private static Optional<Known> known(Lane lane, UUID tenant, String queueName, PartitionId id) {
    var queue = lane.directory.find(tenant, queueName);
    var partition = queue == null ? null : queue.partitionsById.get(id.partition());
    return partition == null || queue.id != id.queue()
        ? Optional.empty()
        : Optional.of(
            new Known(
                BrowseTasks.candidate(queue, partition), BrowseTasks.state(queue, partition)));
  }

  private static Optional<Detail> find(Connection session, Known known, Slice transactionId)
      throws SQLException {
    var candidate = known.candidate();
    var key = TransactionKey.of(transactionId);
    var reader = new SegmentReader(session);
    long below = candidate.nextOffset();
    for (int seen = 0; seen < FIND_SEGMENTS_MAX && below > candidate.firstOffset(); ) {
      var step =
          reader.backward(
              SegmentReader.Place.of(candidate.partitionId()),
              candidate.firstOffset(),
              below,
              0,
              FIND_STEP_SEGMENTS);
      if (step.isEmpty()) {
        break;
      }
      for (var segment : step) {
        var found = newestIn(segment, key, candidate.firstOffset());
        if (found >= 0) {
          return Optional.of(detail(session, known, segment, found));
        }
      }
      seen += step.size();
      below = step.getLast().base();
    }
    return Optional.empty();
  }

  /** The highest kept offset in a segment with this key; -1 when there is none. */
  private static long newestIn(Segment segment, TransactionKey key, long firstOffset) {
    var frame = new Frames.Reader(segment.frames());
    long found = -1;
    for (long offset = segment.base(); frame.next(); offset++) {
      if (offset >= firstOffset && TransactionKey.of(frame).equals(key)) {
        found = offset;
      }
    }
    return found;
  }

  private static Detail detail(Connection session, Known known, Segment segment, long offset)
      throws SQLException {
    var frame = ColdReader.frameAt(segment, offset);
    var dead = new BrowseReader(session).deadLetter(known.candidate().partitionId(), offset);
    var state = known.state();
    var groups = new ArrayList<GroupView>();
    for (var position : state.positions()) {
      groups.add(
          new GroupView(
              position.group(),
              offset <= position.committed(),
              position.holds(offset) ? position.leaseExpiresAt() : null));
    }
    return new Detail(
        message(frame, segment, offset, known.candidate(), state, dead != null),
        dead == null ? null : dead.error(),
        dead == null ? 0 : dead.retryCount(),
        groups,
        new Readers(state.queueMode(), state.groups()),
        state.options());
  }
}
