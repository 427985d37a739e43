-- How long downloads took, from asked of the authority until all of their packages were ready there, added up by day and hour in which they were
-- asked for (central Mexico), mode, channel and kind. grupos has a bit for each of 60 groups of accounts, so that a reader knows how many there are at
-- least, and nobody whose they are. cubetas counts seconds: element i (from 1) those of at most 2^((i - 1) / 2) that are in no element before it.
CREATE TABLE espera_sat (
  dia       date NOT NULL,
  hora      smallint NOT NULL CHECK (hora BETWEEN 0 AND 23),
  modo      text NOT NULL CHECK (modo IN ('live', 'test')),
  canal     text NOT NULL CHECK (canal IN ('soap', 'portal')),
  tipo      text NOT NULL CHECK (tipo IN ('emitidos', 'recibidos')),
  descargas integer NOT NULL,
  grupos    bigint NOT NULL,
  cubetas   integer[] NOT NULL,
  PRIMARY KEY (dia, hora, modo, canal, tipo)
);
