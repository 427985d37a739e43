-- Who waits for the turn to log in stands beside those who have it, so that the log-ins that may go on at the same time are shared out among the
-- accounts. Without a token it waits: since `desde`, and until `hasta` unless it asks again.
ALTER TABLE turno_acceso ALTER COLUMN token DROP NOT NULL,
  ADD COLUMN cuenta_id uuid, ADD COLUMN desde timestamptz(3) NOT NULL DEFAULT now();
