-- Metering that counts once, quotas that block, buckets that several proxies share, sessions, key
-- rotation and the emptying of a deleted tenant's namespace at its broker.

-- What the edge must forget: sessions that ended and the live settings too.
ALTER TABLE changes DROP CONSTRAINT changes_kind_check;
ALTER TABLE changes ADD CONSTRAINT changes_kind_check
  CHECK (kind IN ('cluster', 'key', 'session', 'settings', 'all'));
ALTER TABLE changes ADD COLUMN jti text;

-- A batch counts in the transaction that notes its id here, or not at all.
CREATE TABLE usage_batches (
  batch_id uuid        PRIMARY KEY,
  digest   text        NOT NULL,
  at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX usage_batches_at ON usage_batches (at);

-- Days whose minutes have changed since they were last added up. Every batch holds the rows of its
-- days until it commits, so that the roll-up sees all of a batch or nothing.
CREATE TABLE usage_open_days (
  day     date   PRIMARY KEY,
  batches bigint NOT NULL DEFAULT 1
);

-- Messages of a cluster in a calendar month (UTC), counted with each batch. The announced level
-- only rises; blocked is what the edge was last told.
CREATE TABLE usage_months (
  cluster_id uuid    NOT NULL,
  month      date    NOT NULL,
  msgs       bigint  NOT NULL DEFAULT 0,
  announced  text    NOT NULL DEFAULT 'none' CHECK (announced IN ('none', 'warned', 'blocked')),
  blocked    boolean NOT NULL DEFAULT false,
  PRIMARY KEY (cluster_id, month)
);
CREATE INDEX usage_months_blocked ON usage_months (month) WHERE blocked;

CREATE TABLE storage_states (
  cluster_id     uuid        PRIMARY KEY REFERENCES clusters (id) ON DELETE CASCADE,
  retained_bytes bigint      NOT NULL,
  over_quota     boolean     NOT NULL DEFAULT false,
  measured_at    timestamptz NOT NULL DEFAULT now()
);

-- One bucket for all proxies. Tokens are counted in millionths, so that a rate per second is a
-- whole number of them per microsecond; deliveries may take them below zero.
CREATE TABLE quota_buckets (
  cluster_id     uuid        NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
  bucket         text        NOT NULL CHECK (bucket IN ('requests', 'messages')),
  rate           bigint      NOT NULL,
  capacity       bigint      NOT NULL,
  micro_tokens   numeric     NOT NULL,
  refilled_at    timestamptz NOT NULL,
  granted        bigint      NOT NULL,
  retry_after_ms bigint      NOT NULL,
  PRIMARY KEY (cluster_id, bucket)
);

-- NULL: each proxy goes by its own setting.
CREATE TABLE edge_settings (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  enforce  boolean
);
INSERT INTO edge_settings DEFAULT VALUES;

-- A rotated key works on until it expires.
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE api_keys ADD COLUMN replaced_by uuid;
CREATE INDEX api_keys_expiring ON api_keys (expires_at)
  WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- The emptying of a cluster's namespace at its broker: what is left to do is what the broker still
-- lists, so that a restart resumes by looking.
CREATE TABLE purges (
  cluster_id         uuid        PRIMARY KEY REFERENCES clusters (id) ON DELETE CASCADE,
  queues_deleted     bigint      NOT NULL DEFAULT 0,
  partitions_deleted bigint      NOT NULL DEFAULT 0,
  attempts           integer     NOT NULL DEFAULT 0,
  next_attempt_at    timestamptz NOT NULL DEFAULT now(),
  last_error         text,
  started_at         timestamptz NOT NULL DEFAULT now(),
  finished_at        timestamptz
);
CREATE INDEX purges_due ON purges (next_attempt_at) WHERE finished_at IS NULL;

CREATE INDEX operations_tenant ON operations (tenant_id, at);
CREATE INDEX operations_at ON operations (at);
