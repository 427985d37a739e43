-- Answers kept for an Idempotency-Key are sealed under the caller's API key, and bodies leave only a trace under it. What was kept in clear goes, from
-- the table's file too: the change of type writes the table anew. Its rows stay: a repetition is refused, and never charged again.
ALTER TABLE idempotencia DROP COLUMN respuesta, ADD COLUMN sobre bytea,
  ALTER COLUMN cuerpo_hash TYPE bytea USING '\x'::bytea;
