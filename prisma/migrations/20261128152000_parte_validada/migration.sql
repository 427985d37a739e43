-- Checks the rows from before the columns: a transaction of its own, so that writers of `parte` do not wait for the reading.
ALTER TABLE parte VALIDATE CONSTRAINT parte_contenido_check, VALIDATE CONSTRAINT parte_motivo_check;
