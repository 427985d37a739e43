-- The step that wrote an event, in the row of its last event instead of a row of `paso`. The version before goes on writing both.
ALTER TABLE evento ADD COLUMN epoch integer, ADD COLUMN cola text, ADD COLUMN notas text, ADD COLUMN proceso text, ADD COLUMN tomada_en timestamptz(3),
  ADD COLUMN bandeja_ms integer, ADD COLUMN cola_ms integer, ADD COLUMN ms integer, ADD COLUMN consultas jsonb;
