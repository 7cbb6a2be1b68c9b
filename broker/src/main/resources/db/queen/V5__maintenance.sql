-- What an operator has paused, for all brokers of the database. Two rows for ever; read by every broker
-- every few seconds.
CREATE TABLE maintenance (
  name text PRIMARY KEY CHECK (name IN ('push', 'pop')),
  enabled boolean NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO maintenance (name, enabled) VALUES ('push', false), ('pop', false);
