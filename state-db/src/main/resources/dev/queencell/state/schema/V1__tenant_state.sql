-- Tenant state of one or more cells: who may use which cluster, under which plan, with which keys.
-- The change feed at the end is what the edge follows to drop what it remembers.

CREATE TABLE tenants (
  id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  slug       text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name       text        NOT NULL,
  status     text        NOT NULL DEFAULT 'active'
                         CHECK (status IN ('active', 'grace', 'suspended', 'deleting')),
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
  id            uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  tenant_id     uuid        NOT NULL REFERENCES tenants (id),
  email         text        NOT NULL UNIQUE,
  password_hash text,
  is_operator   boolean     NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX users_tenant ON users (tenant_id);

CREATE TABLE identities (
  user_id     uuid    NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  provider    text    NOT NULL CHECK (provider IN ('local', 'google', 'github')),
  provider_id text    NOT NULL,
  verified    boolean NOT NULL DEFAULT false,
  PRIMARY KEY (provider, provider_id)
);
CREATE INDEX identities_user ON identities (user_id);

-- NULL in a limit column means unlimited.
CREATE TABLE plans (
  id                       uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
  code                     text    NOT NULL UNIQUE,
  cell_class               text    NOT NULL CHECK (cell_class IN ('shared', 'dedicated')),
  max_req_per_sec          bigint,
  req_burst                bigint,
  max_msgs_per_sec         bigint,
  msgs_burst               bigint,
  max_queues               bigint,
  max_partitions_per_queue bigint,
  max_parked_pops          bigint,
  max_payload_bytes        bigint,
  max_batch_items          bigint,
  max_retained_bytes       bigint,
  max_retention_seconds    bigint,
  monthly_msgs_quota       bigint,
  features                 jsonb   NOT NULL DEFAULT '{}'
);

INSERT INTO plans (
  code, cell_class,
  max_req_per_sec, req_burst, max_msgs_per_sec, msgs_burst,
  max_queues, max_partitions_per_queue, max_parked_pops,
  max_payload_bytes, max_batch_items, max_retained_bytes, max_retention_seconds, features
) VALUES
  ('free', 'shared', 5, 25, 20, 100, 20, 8, 50,
   262144, 1000, 1073741824, 604800, '{}'),
  ('dev', 'shared', 10, 50, 40, 200, 50, 16, 150,
   524288, 2000, 3221225472, 1209600, '{}'),
  ('pro', 'shared', 50, 200, 200, 800, 200, 32, 1000,
   1048576, 5000, 21474836480, 2592000, '{"streams": true, "traces": true}'),
  ('dedicated-s', 'dedicated', 200, 800, 600, 2000, 1000, 64, 5000,
   4194304, 10000, 214748364800, 7776000, '{"streams": true, "traces": true}'),
  -- For measuring: nothing is limited and nothing is gated.
  ('bench', 'shared', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   '{"streams": true, "traces": true, "kv": true, "timers": true, "ephemeral": true}');

CREATE TABLE cells (
  id             uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  slug           text        NOT NULL UNIQUE,
  region         text        NOT NULL DEFAULT 'local',
  base_url       text        NOT NULL CHECK (base_url LIKE 'http://%'),
  class          text        NOT NULL DEFAULT 'shared' CHECK (class IN ('shared', 'dedicated')),
  cell_secret    text,
  status         text        NOT NULL DEFAULT 'active',
  capacity_slots integer,
  used_slots     integer,
  broker_version text,
  created_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE clusters (
  id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  slug               text        NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  tenant_id          uuid        NOT NULL REFERENCES tenants (id),
  cell_id            uuid        NOT NULL REFERENCES cells (id),
  plan_id            uuid        NOT NULL REFERENCES plans (id),
  broker_tenant_uuid uuid        NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  status             text        NOT NULL DEFAULT 'active'
                                 CHECK (status IN ('active', 'push_blocked', 'suspended', 'deleting')),
  limit_overrides    jsonb,
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX clusters_tenant ON clusters (tenant_id);

CREATE TABLE cluster_roles (
  user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  cluster_id uuid NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
  role       text NOT NULL CHECK (role IN ('admin', 'producer', 'consumer', 'viewer')),
  PRIMARY KEY (user_id, cluster_id)
);
CREATE INDEX cluster_roles_cluster ON cluster_roles (cluster_id);

-- Only the hash of a key is ever stored: lower-case hex SHA-256 of the whole key text.
CREATE TABLE api_keys (
  id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  cluster_id   uuid        NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
  name         text        NOT NULL,
  key_hash     text        NOT NULL UNIQUE CHECK (key_hash ~ '^[0-9a-f]{64}$'),
  scopes       text[]      NOT NULL
                           CHECK (cardinality(scopes) > 0
                                  AND scopes <@ ARRAY['produce', 'consume', 'admin', 'read']),
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX api_keys_cluster ON api_keys (cluster_id);

CREATE TABLE queues (
  cluster_id       uuid    NOT NULL REFERENCES clusters (id) ON DELETE CASCADE,
  name             text    NOT NULL,
  partitions_count integer NOT NULL DEFAULT 0,
  deleted_at       timestamptz,
  PRIMARY KEY (cluster_id, name)
);

CREATE TABLE usage_minutes (
  cluster_id uuid        NOT NULL,
  minute     timestamptz NOT NULL,
  op_class   text        NOT NULL,
  reqs       bigint      NOT NULL DEFAULT 0,
  msgs       bigint      NOT NULL DEFAULT 0,
  bytes_in   bigint      NOT NULL DEFAULT 0,
  bytes_out  bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (cluster_id, minute, op_class)
);
CREATE INDEX usage_minutes_minute ON usage_minutes (minute);

CREATE TABLE usage_days (
  cluster_id uuid   NOT NULL,
  day        date   NOT NULL,
  op_class   text   NOT NULL,
  reqs       bigint NOT NULL DEFAULT 0,
  msgs       bigint NOT NULL DEFAULT 0,
  bytes_in   bigint NOT NULL DEFAULT 0,
  bytes_out  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (cluster_id, day, op_class)
);

-- Audit. No foreign keys: a row outlives what it speaks of.
CREATE TABLE operations (
  id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  at         timestamptz NOT NULL DEFAULT now(),
  tenant_id  uuid,
  cluster_id uuid,
  actor      text        NOT NULL CHECK (actor IN ('user', 'api_key', 'control_plane', 'system')),
  actor_id   text,
  action     text        NOT NULL,
  target     text,
  meta       jsonb       NOT NULL DEFAULT '{}'
);
CREATE INDEX operations_cluster ON operations (cluster_id, at);

CREATE FUNCTION refuse_change_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'operations is append-only';
END
$$;
CREATE TRIGGER operations_append_only
  BEFORE UPDATE OR DELETE ON operations
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit();

CREATE TABLE revoked_tokens (
  jti        text        PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX revoked_tokens_expiry ON revoked_tokens (expires_at);

CREATE TABLE outbox (
  id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  kind        text        NOT NULL,
  payload     jsonb       NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  consumed_at timestamptz
);
CREATE INDEX outbox_open ON outbox (created_at) WHERE consumed_at IS NULL;

-- What the edge must forget, in the order in which it became true. Rows are written as the last
-- thing of a transaction, under an advisory lock, so that seq order is commit order and a reader
-- never steps over a row that commits late.
CREATE TABLE changes (
  seq          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           timestamptz NOT NULL DEFAULT now(),
  kind         text        NOT NULL CHECK (kind IN ('cluster', 'key', 'all')),
  cluster_id   uuid,
  cluster_slug text,
  key_hash     text
);

-- One row: which life of this database a seq belongs to. A restored or re-created database has
-- another id, so that an edge that comes back with an old position starts over.
CREATE TABLE feed (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  epoch    uuid    NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO feed DEFAULT VALUES;
