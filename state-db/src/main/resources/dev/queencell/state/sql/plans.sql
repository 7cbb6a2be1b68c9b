-- name: list
SELECT id, code, cell_class,
       max_req_per_sec, req_burst, max_msgs_per_sec, msgs_burst,
       max_queues, max_partitions_per_queue, max_parked_pops,
       max_payload_bytes, max_batch_items, max_retained_bytes, max_retention_seconds,
       monthly_msgs_quota, features::text AS features
FROM queen_proxy.plans
ORDER BY code
LIMIT ?;

-- name: by_code
-- plans_code_key
SELECT id, code
FROM queen_proxy.plans
WHERE code = ?;
