-- name: limits_of_clusters
-- Primary keys.
SELECT c.id, c.limit_overrides::text AS overrides,
       p.max_req_per_sec, p.req_burst, p.max_msgs_per_sec, p.msgs_burst,
       p.max_queues, p.max_partitions_per_queue, p.max_parked_pops,
       p.max_payload_bytes, p.max_batch_items, p.max_retained_bytes, p.max_retention_seconds,
       p.monthly_msgs_quota
FROM queen_proxy.clusters c
JOIN queen_proxy.plans p ON p.id = c.plan_id
WHERE c.id = ANY (?::uuid[]);

-- name: reserve
-- The whole decision in one statement under the lock of the bucket's row (quota_buckets_pkey). The
-- clock is read after the lock was taken, once. First the refill at the old rate up to the old
-- capacity, then the new capacity clamps: a plan change hands out nothing. Then what is given back,
-- then the unconditional debit, then the grant.
INSERT INTO queen_proxy.quota_buckets AS b
  (cluster_id, bucket, rate, capacity, micro_tokens, refilled_at, granted, retry_after_ms)
SELECT a.cluster_id, a.bucket, a.rate, a.capacity,
       f.held - g.granted * 1000000, clock_timestamp(), g.granted,
       CASE WHEN g.granted >= a.need THEN 0
            WHEN a.rate = 0 THEN 3600000
            ELSE least(3600000, ceil((a.need * 1000000::numeric - f.held) / a.rate / 1000)) END
FROM (SELECT ?::uuid AS cluster_id, ?::text AS bucket, ?::bigint AS rate, ?::bigint AS capacity,
             ?::bigint AS need, ?::bigint AS want, ?::bigint AS give_back, ?::bigint AS debit) AS a
CROSS JOIN LATERAL (SELECT (a.capacity - a.debit) * 1000000::numeric AS held) AS f
CROSS JOIN LATERAL (
  SELECT CASE WHEN floor(f.held / 1000000) >= a.need
              THEN greatest(0, least(a.want, floor(f.held / 1000000))) ELSE 0 END::bigint AS granted
) AS g
ON CONFLICT (cluster_id, bucket) DO UPDATE
SET (rate, capacity, micro_tokens, refilled_at, granted, retry_after_ms) = (
  SELECT a.rate, a.capacity, f.held - g.granted * 1000000, c.now, g.granted,
         CASE WHEN g.granted >= a.need THEN 0
              WHEN a.rate = 0 THEN 3600000
              ELSE least(3600000, ceil((a.need * 1000000::numeric - f.held) / a.rate / 1000)) END
  FROM (SELECT greatest(b.refilled_at, clock_timestamp()) AS now) AS c
  CROSS JOIN (SELECT ?::bigint AS rate, ?::bigint AS capacity, ?::bigint AS need, ?::bigint AS want,
                     ?::bigint AS give_back, ?::bigint AS debit) AS a
  CROSS JOIN LATERAL (
    SELECT least(
             a.capacity * 1000000::numeric,
             least(
               b.capacity * 1000000::numeric,
               b.micro_tokens
                 + round(extract(epoch FROM c.now - b.refilled_at) * 1000000) * b.rate)
             + a.give_back * 1000000::numeric)
           - a.debit * 1000000::numeric AS held
  ) AS f
  CROSS JOIN LATERAL (
    SELECT CASE WHEN floor(f.held / 1000000) >= a.need
                THEN greatest(0, least(a.want, floor(f.held / 1000000))) ELSE 0 END::bigint AS granted
  ) AS g
)
RETURNING granted, retry_after_ms;
