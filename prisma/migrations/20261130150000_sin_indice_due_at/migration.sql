-- Each poll changes due_at. Without an index of it the row stays at its place for the other nine indexes (a HOT update).
DROP INDEX solicitud_due_at;
