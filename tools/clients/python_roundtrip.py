"""Runs a published Queen client library of Python against a broker, as a program of a user would.

Usage: python_roundtrip.py BROKER_URL

Every step is one thing that a client does: configure, push, duplicates, consume with acknowledgement, pop
and ack by hand, lease renewal, failure into the dead letters, a transaction, a consumer group, admin reads.
Prints one line per step; the exit code is the number of steps that failed.
"""

import asyncio
import sys
import time
import traceback

from queen import Queen

BROKER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:6632"
RUN = "py%d" % time.time_ns()


def queue_name(what):
    return "%s.%s" % (RUN, what)


async def push_and_consume(queen):
    name = queue_name("tasks")
    await queen.queue(name).config({"leaseTime": 30, "retryLimit": 1}).create()
    results = await queen.queue(name).partition("p").push([{"data": {"n": n}} for n in range(25)])
    assert len(results) == 25, results
    seen = []

    async def handler(messages):
        seen.extend(m["data"]["n"] for m in (messages if isinstance(messages, list) else [messages]))

    consume = queen.queue(name).batch(10).limit(25).wait(False).consume(handler)
    await asyncio.wait_for(consume, 30)
    assert seen == list(range(25)), seen
    assert await queen.queue(name).wait(False).pop() == []


async def duplicates(queen):
    name = queue_name("once")
    item = [{"transactionId": "order-1", "data": {"n": 1}}]
    first = await queen.queue(name).push(item)
    again = await queen.queue(name).push(item)
    assert first[0]["status"] == "queued" and again[0]["status"] == "duplicate", (first, again)
    assert again[0]["message_id"] == first[0]["message_id"], (first, again)


async def pop_renew_and_ack(queen):
    name = queue_name("manual")
    await queen.queue(name).push([{"data": {"n": n}} for n in range(3)])
    messages = await queen.queue(name).batch(3).wait(True).pop()
    assert [m["data"]["n"] for m in messages] == [0, 1, 2], messages
    renewed = await queen.renew(messages[0])
    assert renewed.get("success"), renewed
    for message in messages:
        answer = await queen.ack(message, True)
        assert answer.get("success"), answer
    assert await queen.queue(name).wait(False).pop() == []


async def dead_letters(queen):
    name = queue_name("risky")
    await queen.queue(name).config({"retryLimit": 0, "dlqAfterMaxRetries": True}).create()
    await queen.queue(name).push([{"data": {"poison": True}}])
    message = (await queen.queue(name).wait(True).pop())[0]
    await queen.ack(message, False, {"error": "it is poison"})
    found = await queen.queue(name).dlq().limit(10).get()
    assert found["total"] == 1 and len(found["messages"]) == 1, found
    assert found["messages"][0]["errorMessage"] == "it is poison", found


async def transaction(queen):
    source, target = queue_name("in"), queue_name("out")
    await queen.queue(source).push([{"data": {"n": 7}}])
    message = (await queen.queue(source).wait(True).pop())[0]
    done = await queen.transaction().ack(message).queue(target).push([{"data": {"n": 14}}]).commit()
    assert done.get("success", True), done
    out = await queen.queue(target).wait(True).pop()
    assert [m["data"]["n"] for m in out] == [14], out
    assert await queen.queue(source).wait(False).pop() == []


async def consumer_group(queen):
    name = queue_name("events")
    await queen.queue(name).push([{"data": {"n": n}} for n in range(5)])
    seen = []

    async def handler(messages):
        seen.extend(m["data"]["n"] for m in (messages if isinstance(messages, list) else [messages]))

    consume = (
        queen.queue(name).group("readers").subscription_mode("all").batch(5).limit(5).wait(False).consume(handler)
    )
    await asyncio.wait_for(consume, 30)
    assert seen == [0, 1, 2, 3, 4], seen
    groups = await queen.admin.list_consumer_groups()
    assert any(g["name"] == "readers" and name in g["topics"] for g in groups), groups


async def buffered_push(queen):
    name = queue_name("buffered")
    for n in range(50):
        await queen.queue(name).buffer({"message_count": 20, "time_millis": 100}).push([{"data": {"n": n}}])
    await queen.flush_all_buffers()
    messages = await queen.queue(name).batch(100).wait(True).pop()
    assert [m["data"]["n"] for m in messages] == list(range(50)), messages


async def admin_reads(queen):
    queues = await queen.admin.list_queues()
    assert any(q["name"] == queue_name("tasks") for q in queues["queues"]), queues
    one = await queen.admin.get_queue(queue_name("tasks"))
    assert one["name"] == queue_name("tasks"), one
    assert (await queen.admin.health())["status"] == "healthy"


STEPS = [
    push_and_consume,
    duplicates,
    pop_renew_and_ack,
    dead_letters,
    transaction,
    consumer_group,
    buffered_push,
    admin_reads,
]


async def main():
    failed = 0
    async with Queen(BROKER) as queen:
        for step in STEPS:
            try:
                await step(queen)
                print("ok    %s" % step.__name__)
            except Exception:
                failed += 1
                print("FAIL  %s" % step.__name__)
                traceback.print_exc()
    return failed


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
